import { checkOptions, choice, finite, list, positive, wrong } from './check.js';
import { commonDomain } from './domain.js';
import type { Engine } from './engine.js';
import { Frame, type Result } from './frame.js';
import type { AttentionCall } from './kernels.js';
import { maskKeys, placeMasks } from './mask.js';
import { countAxes, placeSides } from './place-positions.js';
import { attentionShape } from './shape.js';
import { attentionTerms, placeAddresses, placeTerms, scoreScale } from './terms.js';
import type { AttentionInputs, AttentionResult, Data, Tap } from './types.js';

const inputKeys = [
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
  'return',
  'out',
];
export const queryNames = ['batch', 'heads', 'queries', 'headDim'];
const keyNames = ['batch', 'kvHeads', 'keys', 'headDim'];
const valueNames = ['batch', 'kvHeads', 'keys', 'valueDim'];
export const outputNames = ['batch', 'heads', 'queries', 'valueDim'];
export const tapNames = ['batch', 'heads', 'queries', 'keys'];
const taps = ['scores', 'capped', 'biased', 'logits', 'weights'] as const;

/** Exact attention; see `Posenc.attention` in `types.ts`. */
export function attention<Output extends Data>(
  engine: Engine,
  inputs: AttentionInputs<Output>,
): AttentionResult<Output> {
  const given = checkOptions(inputs, inputKeys, 'attention', 'inputs') as AttentionInputs<Output>;
  const { query, key, value, out, queryPositions, keyPositions } = given;
  const shape = attentionShape(given.shape, query, key, value);
  const { batch, heads, kvHeads, queries, keys, headDim, valueDim } = shape;
  const options = checkNumbers(given);
  const terms = attentionTerms(given.encoding, shape);
  const domain = commonDomain(terms.map(({ block }) => block.domain));
  const axes = countAxes(given.axes, domain);
  const wanted = checkTaps(given.return);

  const frame = new Frame(engine.memory);
  try {
    const placed = placeTerms(frame, terms);
    const queryAt = frame.input(query, 'query', [batch, heads, queries, headDim], queryNames);
    const keyAt = frame.input(key, 'key', [batch, kvHeads, keys, headDim], keyNames);
    const valueAt = frame.input(value, 'value', [batch, kvHeads, keys, valueDim], valueNames);
    const output = frame.output(out, 'out', [batch, heads, queries, valueDim], outputNames);
    const tapped = wanted.map((tap): [Tap, Result] => [
      tap,
      frame.fresh(tap, [batch, heads, queries, keys], tapNames),
    ]);
    const sides = placeSides(frame, {
      batch,
      queries,
      keys,
      axes,
      domain,
      queryPositions,
      keyPositions,
    });
    const masks = placeMasks(frame, given, shape);
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
      output: output.pointer,
      encoding_count: placed.length,
      encodings: placeAddresses(frame, placed),
      ...options,
      scale: options.scale ?? scoreScale(engine.kernels, placed, headDim),
      axes,
      query_positions: sides.query.pointer,
      query_positions_per_batch: sides.query.perBatch,
      key_positions: sides.key.pointer,
      key_positions_per_batch: sides.key.perBatch,
      ...masks,
      scores: 0,
      capped: 0,
      biased: 0,
      logits: 0,
      weights: 0,
    };
    for (const [tap, { pointer }] of tapped) call[tap] = pointer;
    engine.expectOk(engine.kernels.attention(frame.call(engine.attentionOrder, call)), 'attention');
    const result: AttentionResult<Output> = { output: output.deliver() };
    for (const [tap, { deliver }] of tapped) result[tap] = deliver();
    return result;
  } finally {
    frame.release();
  }
}

/** The options that are plain numbers, 0 where one is off; `scale` may be missing. */
export function checkNumbers({ softcap, scale }: Pick<AttentionInputs, 'softcap' | 'scale'>) {
  return {
    softcap: softcap === undefined ? 0 : positive(softcap, 'softcap'),
    scale: scale === undefined ? undefined : finite(scale, 'scale'),
  };
}

/** The intermediate values to return, each once. */
export function checkTaps(wanted: unknown): Tap[] {
  if (wanted === undefined) return [];
  const allowed = `an array of ${list(taps)}`;
  if (!Array.isArray(wanted)) throw wrong('argument', 'return', wanted, allowed);
  const checked = Array.from(wanted, (tap: unknown, i) => {
    if (tap === undefined) throw wrong('argument', `return[${i}]`, tap, list(taps));
    return choice(tap, `return[${i}]`, taps);
  });
  return [...new Set(checked)];
}
