import { checkOptions, wrong } from '../check.js';
import type { Engine } from '../engine.js';
import { RandomStream } from '../random.js';
import { blankTensors } from './blank.js';
import { initialTensors } from './initial.js';
import { assemble } from './load.js';
import { planModel } from './plan.js';
import type { CreateModelOptions, LanguageModel } from './types.js';

const keys = ['config', 'seed', 'tokenizer'];

/** Makes a model that knows nothing yet; see `Posenc.createModel` in `types.ts`. */
export async function createModel(
  engine: Engine,
  options: CreateModelOptions,
): Promise<LanguageModel> {
  const given = checkOptions(options, keys, 'createModel') as CreateModelOptions;
  const { config, seed = 0 } = given;
  if (config === undefined) {
    throw wrong('argument', 'config', config, 'a config.json of a family that models have');
  }
  const random = new RandomStream(engine, seed);
  const plan = planModel(config, blankTensors(config));
  const tensors = initialTensors(plan.tensors, plan.spec, random);
  return assemble(engine, { config, plan, tensors, dtype: 'f32' }, given);
}
