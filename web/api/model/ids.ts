import { integer, wrong } from '../check.js';

/** Checks one id of a vocabulary. */
export const checkId = (id: unknown, vocabulary: number, argument = 'id'): number =>
  integer(id, argument, 0, vocabulary - 1);

/** Checks a list of ids; gives a copy. */
export function checkIds(ids: unknown, vocabulary: number, argument = 'ids'): Int32Array {
  const isList = Array.isArray(ids) || (ArrayBuffer.isView(ids) && 'length' in ids);
  if (!isList) throw wrong('argument', argument, ids, 'an array of ids');
  return Int32Array.from(ids as ArrayLike<unknown>, (id, i) =>
    checkId(id, vocabulary, `${argument}[${i}]`),
  );
}
