/** Valid options of every encoding, at small sizes that fit one attention call: 2 heads of 8, 6 tokens. */
import type { EncodingName, EncodingOptions } from 'posenc';

export const heads = 2;
export const headDim = 8;
/** Tokens 0 … 5. */
export const tokens = 6;

export const samples: { readonly [Name in EncodingName]: EncodingOptions[Name] } = {
  nope: {},
  sinusoidal: { width: 8 },
  rope: { headDim },
  alibi: { heads },
};
