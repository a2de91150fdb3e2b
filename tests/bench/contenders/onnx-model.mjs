/**
 * ONNX models made in code: the few messages of onnx.proto (ONNX 1.16, ir_version 10) that a graph of
 * operators with constants needs. Numbers in names of fields are those of the .proto file.
 */

const VARINT = 0;
const BYTES = 2;
const FIXED32 = 5;
const FLOAT = 1;
const INT32 = 6;
export const INT64 = 7;

function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 127n);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 128 : low);
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}

function concat(parts) {
  const out = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

const key = (number, wire) => varint((number << 3) | wire);
const integer = (number, value) => concat([key(number, VARINT), varint(value)]);
const bytes = (number, content) => concat([key(number, BYTES), varint(content.length), content]);
const text = (number, value) => bytes(number, new TextEncoder().encode(value));
const message = (number, ...fields) => bytes(number, concat(fields));
const bytesOf = ({ buffer, byteOffset, byteLength }) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** AttributeProto: name = 1, f = 2, i = 3, ints = 8, type = 20 (1 float, 2 integer, 7 integers). */
function attribute([name, value]) {
  if (Array.isArray(value)) {
    return message(5, text(1, name), ...value.map((each) => integer(8, each)), integer(20, 7));
  }
  if (typeof value === 'bigint')
    return message(5, text(1, name), integer(3, value), integer(20, 2));
  const number = concat([key(2, FIXED32), bytesOf(Float32Array.of(value))]);
  return message(5, text(1, name), number, integer(20, 1));
}

/** NodeProto: input = 1, output = 2, op_type = 4, attribute = 5, domain = 7. */
const node = ({ operator, domain = '', inputs, outputs, attributes = {} }) =>
  message(
    1,
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, operator),
    ...Object.entries(attributes).map(attribute),
    text(7, domain),
  );

const typeOf = (data) =>
  ({ Float32Array: FLOAT, Int32Array: INT32 })[data.constructor.name] ?? INT64;

/** TensorProto: dims = 1, data_type = 2, name = 8, raw_data = 9. */
const constant = ([name, { data, shape }]) =>
  message(
    5,
    ...shape.map((size) => integer(1, size)),
    integer(2, typeOf(data)),
    text(8, name),
    bytes(9, bytesOf(data)),
  );

/**
 * ValueInfoProto: name = 1, type = 2 { tensor_type = 1 { elem_type = 1, shape = 2 { dim = 1 } } };
 * without a shape, any.
 */
function valueInfo(number, [name, { type = FLOAT, shape }]) {
  const dimensions = shape?.map((size) => message(1, integer(1, size)));
  const fields = [integer(1, type), ...(dimensions ? [message(2, ...dimensions)] : [])];
  return message(number, text(1, name), message(2, message(1, ...fields)));
}

/** @typedef {{ type?: number, shape?: number[] }} Value */

/**
 * A model whose inputs and outputs are floats unless they say otherwise.
 * @param {{ nodes: { operator: string, domain?: string, inputs: string[], outputs: string[],
 *     attributes?: Record<string, number | bigint | bigint[]> }[],
 *   constants?: Record<string, { data: Float32Array | Int32Array | BigInt64Array, shape: number[] }>,
 *   inputs: Record<string, Value>, outputs: Record<string, Value>, opset?: number }} graph
 *   integers among attributes are bigint
 * @returns {Uint8Array}
 */
export function onnxModel({ nodes, constants = {}, inputs, outputs, opset = 21 }) {
  return concat([
    integer(1, 10),
    message(8, text(1, ''), integer(2, opset)),
    message(8, text(1, 'com.microsoft'), integer(2, 1)),
    message(
      7,
      ...nodes.map(node),
      text(2, 'graph'),
      ...Object.entries(constants).map(constant),
      ...Object.entries(inputs).map((input) => valueInfo(11, input)),
      ...Object.entries(outputs).map((output) => valueInfo(12, output)),
    ),
  ]);
}
