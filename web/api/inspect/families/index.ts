import { generic, llama } from '../family.js';
import type { Family } from '../family.js';
import { biases } from './biases.js';
import { core } from './core.js';
import { remote } from './remote.js';
import { recurrent } from './recurrent.js';
import { rotary } from './rotary.js';
import { tables } from './tables.js';
import { interleaved, traitsOf } from './traits.js';

/** The family of a row: Llama's reading, the row's numbers, the type's traits. */
const ofRow = (type: string): Family | undefined => {
  const row = Object.hasOwn(rotary, type) ? rotary[type] : undefined;
  if (row === undefined) return undefined;
  const [base, headDim, hiddenSize, heads, length] = row;
  const numbers = { base, headDim, hiddenSize, heads, length, layers: null };
  return { ...llama, type, originalInterleaved: false, ...numbers, ...traitsOf(type) };
};

const listed = new Map(
  [...core, ...tables, ...biases, ...recurrent, ...remote].map((family) => [family.type, family]),
);

/** The family of a model type, if posenc knows it. */
export const familyOf = (type: string): Family | undefined => listed.get(type) ?? ofRow(type);

/** How a type outside the tables is read. */
export const genericFamily = (type: string | null): Family => {
  return { ...generic, layout: layoutKnown(type) ? 'interleaved' : 'half' };
};

/** Whether the layout of an unknown type is at least known from its code. */
export const layoutKnown = (type: string | null): boolean => type !== null && interleaved.has(type);
