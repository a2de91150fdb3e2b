import { checkOptions, wrong } from '../../check.js';
import type { EncodeTextOptions } from './types.js';

/** Checks what `encode` takes; gives whether special ids are wanted. */
export function checkEncode(text: unknown, options: EncodeTextOptions | undefined): boolean {
  if (typeof text !== 'string') throw wrong('argument', 'text', text, 'a string');
  const { addSpecial = true } = checkOptions(options, ['addSpecial'], 'encode');
  if (typeof addSpecial === 'boolean') return addSpecial;
  throw wrong('argument', 'addSpecial', addSpecial, 'true or false');
}
