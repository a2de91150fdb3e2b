/** posenc: everything a transformer can know about position. See `types.ts` for what each part does. */
export { PosencError, type PosencErrorCode, type PosencErrorDetails } from './error.js';
export { inspect } from './inspect.js';
export type * from './inspect/plan.js';
export * from './layout.js';
export { load } from './load.js';
export * from './model/public.js';
export * from './positions.js';
export { pairCoverage } from './scaling/coverage.js';
export { scaleFrequencies, scalingBands, scalings } from './scaling/index.js';
export type * from './scaling/types.js';
export type * from './types.js';
