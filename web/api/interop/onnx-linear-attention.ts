/** LinearAttention of ONNX, opset 27, by the text of the operator and its reference implementation. */
import { size } from '../array.js';
import { checkOptions, choice, finite, wrong } from '../check.js';
import type { Engine } from '../engine.js';
import { Frame } from '../frame.js';
import { arrayOf, expectShape, readFloats, wrongShape } from './arrays.js';
import type {
  OnnxLinearAttentionAttributes,
  OnnxLinearAttentionInputs,
  OnnxLinearAttentionOutputs,
} from './types.js';

const inputKeys = ['query', 'key', 'value', 'past_state', 'decay', 'beta'];
const attributeKeys = ['update_rule', 'q_num_heads', 'kv_num_heads', 'scale', 'chunk_size'];
const rules = ['gated_delta', 'linear', 'gated', 'delta'] as const;

/** ONNX's LinearAttention; see `Interop` in `types.ts`. */
export function onnxLinearAttention(
  engine: Engine,
  inputs: OnnxLinearAttentionInputs,
  attributes: OnnxLinearAttentionAttributes,
): OnnxLinearAttentionOutputs {
  const { memory, kernels } = engine;
  const name = 'onnxLinearAttention';
  const given = checkOptions<Partial<OnnxLinearAttentionInputs>>(inputs, inputKeys, name, 'inputs');
  const options = checkOptions(attributes, attributeKeys, name, 'attributes');
  const rule = choice(options.update_rule, 'update_rule', rules);
  expectGiven(given.decay, 'decay', rule, rule.startsWith('gated'));
  expectGiven(given.beta, 'beta', rule, rule.endsWith('delta'));
  if (options.chunk_size !== undefined) size(options.chunk_size, 'chunk_size');
  const heads = size(options.q_num_heads, 'q_num_heads');
  const kvHeads = size(options.kv_num_heads, 'kv_num_heads');
  if (heads % kvHeads !== 0) {
    throw wrong('shape', 'kv_num_heads', kvHeads, `a divisor of q_num_heads = ${heads}`);
  }

  const read = (input: keyof OnnxLinearAttentionInputs) =>
    readFloats(memory, given[input], input, 'dims');
  const query = read('query');
  const [batch = 0, tokens = 0] = query.shape;
  const keyDim = widthOf(query.shape, 'query', heads);
  const key = read('key');
  expectShape(key.shape, 'key', [batch, tokens, kvHeads * keyDim]);
  const value = read('value');
  const valueDim = widthOf(value.shape, 'value', kvHeads);
  expectShape(value.shape, 'value', [batch, tokens, kvHeads * valueDim]);
  /** An input of one of two widths; tells whether it is the second. */
  const readEither = (input: 'decay' | 'beta', first: number, second: number) => {
    if (given[input] === undefined) return undefined;
    const { data, shape } = read(input);
    const isSecond = shape[2] === second;
    expectShape(shape, input, [batch, tokens, isSecond ? second : first]);
    return { data, shape, isSecond };
  };
  const decay = readEither('decay', kvHeads, kvHeads * keyDim);
  const beta = readEither('beta', 1, kvHeads);
  const stateShape = [batch, kvHeads, keyDim, valueDim];
  const past = given.past_state === undefined ? undefined : read('past_state');
  if (past !== undefined) expectShape(past.shape, 'past_state', stateShape);
  const scale = options.scale === undefined ? 0 : finite(options.scale, 'scale');

  const frame = new Frame(memory);
  try {
    const place = (array: typeof past, argument: string): number =>
      array === undefined ? 0 : frame.input(array.data, argument, array.shape, []);
    const state = frame.fresh('present_state', stateShape, []);
    if (past !== undefined) memory.write(state.pointer, arrayOf(past.data));
    else memory.clear(state.pointer, batch * kvHeads * keyDim * valueDim);
    const outputShape = [batch, tokens, heads * valueDim];
    const output = frame.fresh('output', outputShape, []);
    const call = frame.call(engine.linearOrder, {
      ...{ batch, heads, kv_heads: kvHeads, tokens, key_dim: keyDim, value_dim: valueDim },
      query: place(query, 'query'),
      key: place(key, 'key'),
      value: place(value, 'value'),
      decay: place(decay, 'decay'),
      decay_dim: decay?.isSecond ? keyDim : 1,
      beta: place(beta, 'beta'),
      beta_heads: beta?.isSecond ? kvHeads : 1,
      scale: scale === 0 ? 1 / Math.sqrt(keyDim) : scale,
      state: state.pointer,
      output: output.pointer,
    });
    engine.expectOk(kernels.linearAttention(call), name);
    return {
      output: { data: output.deliver(), dims: outputShape },
      present_state: { data: state.deliver(), dims: stateShape },
    };
  } finally {
    frame.release();
  }
}

/** Throws unless an input is there where the rule reads it, and only there. */
function expectGiven(input: unknown, argument: string, rule: string, isRead: boolean): void {
  if ((input !== undefined) === isRead) return;
  const allowed = isRead ? 'a tensor' : 'to be left out';
  throw wrong('argument', argument, input, `${allowed}, since update_rule is "${rule}"`);
}

/** The width of one of several heads that lie side by side in three dimensions. */
function widthOf(shape: readonly number[], argument: string, heads: number): number {
  const [, , total = 0] = shape;
  if (shape.length === 3 && total > 0 && total % heads === 0) return total / heads;
  const allowed = `three dimensions, the last a multiple of its ${heads} heads`;
  throw wrongShape(shape, argument, allowed);
}
