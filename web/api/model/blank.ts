import { PosencError } from '../error.js';
import { recognise } from './plan.js';
import type { WeightInfo } from './weights/types.js';

/** Heads stand beside the body of a model, so that their names have no prefix. */
const heads = /^(lm_head|embed_out|cls|lm_predictions)\./;

/**
 * Names and shapes of the checkpoint that a config describes, as its family writes it. Where the config
 * leaves a head open, `has` tells by the name of a tensor whether it is there.
 *
 * @throws PosencError as `planModel`, and `config` where only a checkpoint would tell a size
 */
export function blankTensors(
  config: unknown,
  has: (head: string) => boolean = () => true,
): ReadonlyMap<string, WeightInfo> {
  const { family, fields, modelType, plan } = recognise(config);
  const shapeOf = (name: string): readonly number[] | undefined => {
    if (heads.test(name)) return has(name) ? [] : undefined;
    const allowed = 'all sizes, vocab_size and intermediate_size (or its like) among them';
    throw new PosencError('config', `config leaves out the sizes of ${name}, needs ${allowed}`, {
      argument: 'config',
      received: `no sizes of ${name}`,
      allowed,
    });
  };
  const [prefix = ''] = family.prefixes;
  const { rules } = family.read({ fields, modelType, plan, shapeOf });
  return new Map(
    rules.map(({ from: [name = ''], shape, whole = shape }) => [
      heads.test(name) ? name : prefix + name,
      { dtype: 'F32', shape: whole },
    ]),
  );
}
