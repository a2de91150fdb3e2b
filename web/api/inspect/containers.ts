import type { Context } from './context.js';
import { Fields, isObject } from './fields.js';
import { layerTypeName, limits } from './limits.js';

const original = 'original_max_position_embeddings';

/**
 * Objects with rotary settings that are not empty, the one that counts first (the order of transformers
 * 5); where the config has none, those that the family takes.
 */
export function ropeContainers({ fields, family }: Pick<Context, 'fields' | 'family'>): Fields[] {
  const given = ['rope_scaling', 'rope_parameters'].flatMap((name) => {
    const child = fields.child(name);
    return child !== null && child.keys().length > 0 ? [child] : [];
  });
  const { scaling, scalingSwitch } = family;
  if (given.length > 0 || scaling === null) return given;
  if (scalingSwitch !== null && fields.flag(scalingSwitch) !== true) return given;
  return [new Fields(scaling, fields.at('rope_parameters'))];
}

/** Whether each value is an object of its own, one per layer type. */
export function isNested(container: Fields): boolean {
  const keys = container.keys();
  const objects = keys.filter((key) => isObject(container.value(key)));
  if (objects.length === 0) return false;
  const plain = keys.find((key) => !objects.includes(key));
  if (plain !== undefined) {
    const allowed = 'either one set of rotary settings or one object per layer type, not both';
    throw container.wrong(plain, container.value(plain), allowed);
  }
  const unnamed = keys.find((key) => !layerTypeName.test(key));
  if (unnamed !== undefined) throw container.wrong('*', unnamed, 'names of layer types');
  const spare = keys[limits.layerTypes];
  if (spare === undefined) return true;
  const allowed = `at most ${limits.layerTypes} layer types`;
  throw container.wrong(spare, container.value(spare), allowed);
}

/**
 * The length before stretching, as far as the config names it: beside the rule, in the rule of any
 * layer type, or at the top (Phi-3). The shortest where they differ.
 */
export function originalLength(context: Pick<Context, 'fields' | 'family'>): number | null {
  const [container] = ropeContainers(context);
  const children =
    container === undefined
      ? []
      : isNested(container)
        ? container.keys().flatMap((key) => container.child(key) ?? [])
        : [container];
  const claims = [...children, context.fields].flatMap((each) =>
    each.integers([original], limits.length),
  );
  return claims.length === 0 ? null : Math.min(...claims.map(({ value }) => value));
}
