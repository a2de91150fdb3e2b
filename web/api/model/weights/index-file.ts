import { PosencError, show } from '../../error.js';
import { Fields, isObject } from '../../inspect/fields.js';

/** The names in `weight_map` of a `model.safetensors.index.json`. */
export function readIndex(index: unknown): ReadonlySet<string> {
  const map = Fields.of(index).value('weight_map');
  if (isObject(map)) return new Set(Object.keys(map));
  throw new PosencError('config', `index.weight_map is ${show(map)}, needs an object`, {
    argument: 'index.weight_map',
    received: show(map),
    allowed: 'an object of file names by tensor',
  });
}
