import { checkOptions, choices, finite, positive } from './check.js';
import { commonDomain } from './domain.js';
import type { Engine } from './engine.js';
import { Frame, type Result } from './frame.js';
import type { AttentionCall } from './kernels.js';
import { maskKeys, placeMasks } from './mask.js';
import { countAxes, placeSides } from './place-positions.js';
import { attentionShape } from './shape.js';
import { attentionTerms, placeAddresses, placeTerms, scoreScale } from './terms.js';
import type { AttentionInputs, AttentionResult, Data, Tap } from './types.js';

/** The options that `placeCall` reads. */
export const callKeys = [
  ...maskKeys,
  'query',
  'key',
  'value',
  'shape',
  'encoding',
  'softcap',
  'scale',
  'axes',
  'queryPositions',
  'keyPositions',
];
export const queryNames = ['batch', 'heads', 'queries', 'headDim'];
export const keyNames = ['batch', 'kvHeads', 'keys', 'headDim'];
export const valueNames = ['batch', 'kvHeads', 'keys', 'valueDim'];
export const outputNames = ['batch', 'heads', 'queries', 'valueDim'];
export const tapNames = ['batch', 'heads', 'queries', 'keys'];
export const statisticNames = ['batch', 'heads', 'queries', 'statistics'];
const taps = ['scores', 'capped', 'biased', 'logits', 'weights'] as const;
const returned = [...taps, 'statistics'] as const;

/** Exact attention; see `Posenc.attention` in `types.ts`. */
export function attention<Output extends Data>(
  engine: Engine,
  inputs: AttentionInputs<Output>,
): AttentionResult<Output> {
  const known = [...callKeys, 'return', 'out'];
  const given = checkOptions(inputs, known, 'attention', 'inputs') as AttentionInputs<Output>;
  const wanted = given.return === undefined ? [] : choices(given.return, 'return', returned);
  const frame = new Frame(engine.memory);
  try {
    const { call, shape } = placeCall(frame, engine, given);
    const { batch, heads, queries, keys, valueDim } = shape;
    const output = frame.output(given.out, 'out', [batch, heads, queries, valueDim], outputNames);
    call.output = output.pointer;
    const tapped = wanted.map((tap): [(typeof returned)[number], Result] => [
      tap,
      tap === 'statistics'
        ? frame.fresh(tap, [batch, heads, queries, 3], statisticNames)
        : frame.fresh(tap, [batch, heads, queries, keys], tapNames),
    ]);
    for (const [tap, { pointer }] of tapped) call[tap] = pointer;
    engine.expectOk(engine.kernels.attention(frame.call(engine.attentionOrder, call)), 'attention');
    const result: AttentionResult<Output> = { output: output.deliver() };
    for (const [tap, { deliver }] of tapped) result[tap] = deliver();
    return result;
  } finally {
    frame.release();
  }
}

/**
 * Checks what attention is to be computed of and writes it into the module's memory. The call that
 * comes back has nowhere yet to write to.
 */
export function placeCall(
  frame: Frame,
  engine: Engine,
  given: Omit<AttentionInputs, 'return' | 'out'>,
) {
  const { query, key, value, queryPositions, keyPositions } = given;
  const shape = attentionShape(given.shape, query, key, value);
  const { batch, heads, kvHeads, queries, keys, headDim, valueDim } = shape;
  const options = checkNumbers(given);
  const checked = attentionTerms(given.encoding, shape);
  const domain = commonDomain(checked.map(({ block }) => block.domain));
  const axes = countAxes(given.axes, domain);
  const terms = placeTerms(frame, checked);
  const queryAt = frame.input(query, 'query', [batch, heads, queries, headDim], queryNames);
  const keyAt = frame.input(key, 'key', [batch, kvHeads, keys, headDim], keyNames);
  const valueAt = frame.input(value, 'value', [batch, kvHeads, keys, valueDim], valueNames);
  const places = { batch, queries, keys, axes, domain, queryPositions, keyPositions };
  const sides = placeSides(frame, places);
  const call: AttentionCall = {
    batch,
    heads,
    kv_heads: kvHeads,
    queries,
    keys,
    head_dim: headDim,
    value_dim: valueDim,
    query: queryAt,
    key: keyAt,
    value: valueAt,
    output: 0,
    encoding_count: terms.length,
    encodings: placeAddresses(frame, terms),
    ...options,
    scale: options.scale ?? scoreScale(engine.kernels, terms, headDim),
    axes,
    query_positions: sides.query.pointer,
    query_positions_per_batch: sides.query.perBatch,
    key_positions: sides.key.pointer,
    key_positions_per_batch: sides.key.perBatch,
    ...placeMasks(frame, given, shape),
    scores: 0,
    capped: 0,
    biased: 0,
    logits: 0,
    weights: 0,
    statistics: 0,
  };
  return { call, shape, terms };
}

/** The options that are plain numbers, 0 where one is off; `scale` may be missing. */
export function checkNumbers({ softcap, scale }: Pick<AttentionInputs, 'softcap' | 'scale'>) {
  return {
    softcap: softcap === undefined ? 0 : positive(softcap, 'softcap'),
    scale: scale === undefined ? undefined : finite(scale, 'scale'),
  };
}

/** The intermediate values to return. */
export const checkTaps = (wanted: unknown): Tap[] =>
  wanted === undefined ? [] : choices(wanted, 'return', taps);
