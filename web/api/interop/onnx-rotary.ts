/** RotaryEmbedding of ONNX, opset 23, by the text of the operator and its reference implementation. */
import { checkOptions, integer, wrong } from '../check.js';
import type { Engine } from '../engine.js';
import { Frame } from '../frame.js';
import type { Memory } from '../memory.js';
import { ResidentTensor } from '../tensor.js';
import { arrayOf, expectShape, readFloats, readIntegers, swapMiddle } from './arrays.js';
import { checkHeads, fourDimensions } from './onnx-heads.js';
import type {
  OnnxRotaryEmbeddingAttributes,
  OnnxRotaryEmbeddingInputs,
  OnnxTensor,
} from './types.js';

const inputKeys = ['X', 'cos_cache', 'sin_cache', 'position_ids'];
const attributeKeys = ['interleaved', 'num_heads', 'rotary_embedding_dim'];

/** ONNX's RotaryEmbedding; see `Posenc.onnxRotaryEmbedding` in `types.ts`. */
export function onnxRotaryEmbedding(
  engine: Engine,
  inputs: OnnxRotaryEmbeddingInputs,
  attributes?: OnnxRotaryEmbeddingAttributes,
): OnnxTensor {
  const { memory, kernels } = engine;
  const name = 'onnxRotaryEmbedding';
  const given = checkOptions(inputs, inputKeys, name, 'inputs');
  const options = checkOptions(attributes, attributeKeys, name, 'attributes');
  const { interleaved = 0, num_heads: numHeads, rotary_embedding_dim: wanted = 0 } = options;
  const layout = integer(interleaved, 'interleaved', 0, 1);

  const X = readFloats(memory, given.X, 'X', 'dims');
  const isPacked = X.shape.length === 3;
  // The operator does not read it where heads have a dimension of their own.
  const heads = checkHeads(isPacked ? numHeads : undefined, 'num_heads', X);
  const x = fourDimensions(X, 'X', heads);
  const [batch, , tokens, headDim] = x.shape;
  const rotaryDim = checkRotaryDim(wanted, headDim);
  const tables = readCaches(memory, given, [batch, tokens, rotaryDim / 2]);

  const frame = new Frame(memory);
  try {
    const xAt = frame.input(x.data, 'X', x.shape, []);
    // An array was copied, and the copy can be turned where it is.
    const spare = ResidentTensor.is(x.data) ? undefined : xAt;
    const result = frame.fresh('Y', x.shape, [], spare);
    const positions = frame.bytes(4 * batch * tokens, 'position_ids');
    kernels.HEAP32.set(tables.positions, positions >>> 2);
    const status = kernels.rotateByTable(
      frame.call(engine.rotateOrder, {
        ...{ encoding: 0, side: 0, inverse: 0 },
        ...{ x: xAt, out: result.pointer },
        ...{ batch, heads, tokens, head_dim: headDim },
        ...{ axes: 1, positions, positions_per_batch: 1 },
      }),
      frame.input(tables.cos.data, 'cos_cache', tables.cos.shape, []),
      frame.input(tables.sin.data, 'sin_cache', tables.sin.shape, []),
      tables.rows,
      rotaryDim,
      layout,
    );
    engine.expectOk(status, name);
    const turned = result.deliver();
    const data = isPacked ? arrayOf(swapMiddle(turned, x.shape)) : turned;
    return { data, dims: [...X.shape] };
  } finally {
    frame.release();
  }
}

/** How many dimensions turn, an even number; 0 stands for all. */
function checkRotaryDim(given: unknown, headDim: number): number {
  const rotaryDim = integer(given, 'rotary_embedding_dim', 0, headDim) || headDim;
  if (rotaryDim % 2 === 0) return rotaryDim;
  if (given === 0)
    throw wrong('shape', 'head_size', headDim, 'an even number, or a part that turns');
  throw wrong('range', 'rotary_embedding_dim', given, 'an even number');
}

/** The tables, and the row of each that a token takes: `position_ids` tell, or there is a row per token. */
function readCaches(
  memory: Memory,
  given: Partial<OnnxRotaryEmbeddingInputs>,
  [batch, tokens, pairs]: readonly [batch: number, tokens: number, pairs: number],
) {
  const { position_ids: ids } = given;
  const cos = readFloats(memory, given.cos_cache, 'cos_cache', 'dims');
  const sin = readFloats(memory, given.sin_cache, 'sin_cache', 'dims');
  const rows = ids === undefined ? batch * tokens : (cos.shape[0] ?? 0);
  const shape = ids === undefined ? [batch, tokens, pairs] : [rows, pairs];
  expectShape(cos.shape, 'cos_cache', shape);
  expectShape(sin.shape, 'sin_cache', shape);
  const positions =
    ids === undefined
      ? Array.from({ length: rows }, (_, row) => row)
      : readIntegers(ids, 'position_ids', [batch, tokens], [0, rows - 1]);
  return { cos, sin, rows, positions };
}
