import { bertFamily } from './bert.js';
import { bloomFamily } from './bloom.js';
import { debertaFamily } from './deberta.js';
import { gemmaFamily } from './gemma.js';
import { gpt2Family } from './gpt2.js';
import { gptNeoxFamily } from './gpt-neox.js';
import { gptjFamily } from './gptj.js';
import { llamaFamily } from './llama.js';
import { mptFamily } from './mpt.js';
import { optFamily } from './opt.js';
import { phiFamily } from './phi.js';
import { t5Family } from './t5.js';
import type { ModelFamily } from './types.js';

const families: readonly ModelFamily[] = [
  llamaFamily,
  gpt2Family,
  gptNeoxFamily,
  gptjFamily,
  bloomFamily,
  mptFamily,
  optFamily,
  phiFamily,
  gemmaFamily,
  t5Family,
  bertFamily,
  debertaFamily,
];

/** All values of `model_type` that models can be made of. */
export const modelTypes: readonly string[] = families.flatMap(({ types }) => types);

/** The family of a `model_type`. */
export const modelFamilyOf = (type: string): ModelFamily | undefined =>
  families.find(({ types }) => types.includes(type));
