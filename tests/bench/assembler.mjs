/** The few WebAssembly instructions that the loops of limits.mjs are made of, and the module around them. */

/** LEB128 of an unsigned number. */
function unsigned(value) {
  const bytes = [];
  do {
    const rest = Math.floor(value / 128);
    bytes.push((value % 128) | (rest > 0 ? 128 : 0));
    value = rest;
  } while (value > 0);
  return bytes;
}

/** LEB128 of a signed number. */
function signed(value) {
  const bytes = [];
  for (;;) {
    const low = value & 127;
    value >>= 7;
    if (value === (low & 64 ? -1 : 0)) return [...bytes, low];
    bytes.push(low | 128);
  }
}

const vector = (opcode, ...rest) => [0xfd, ...unsigned(opcode), ...rest];

/** Memory operand of 16-byte loads: no alignment promised. */
const place = (offset) => [0, ...unsigned(offset)];

export const op = {
  get: (local) => [0x20, ...unsigned(local)],
  set: (local) => [0x21, ...unsigned(local)],
  tee: (local) => [0x22, ...unsigned(local)],
  i32: (value) => [0x41, ...signed(value)],
  f32: (value) => [0x43, ...new Uint8Array(Float32Array.of(value).buffer)],
  loop: (body) => [0x03, 0x40, ...body, 0x0b],
  /** Back to the start of the loop when the number on the stack is not 0. */
  repeatIf: [0x0d, 0],
  add: [0x6a],
  subtract: [0x6b],
  lessThan: [0x49],
  copy: [0xfc, 10, 0, 0],
  load: (offset) => vector(0x00, ...place(offset)),
  splat: vector(0x13),
  firstLane: vector(0x1f, 0),
  addVectors: vector(0xe4),
  multiplyVectors: vector(0xe6),
  relaxedMultiplyAdd: vector(0x105),
};

const types = { i32: 0x7f, f32: 0x7d, v128: 0x7b };
const list = (items) => [...unsigned(items.length), ...items.flat()];
const name = (text) => list([...text].map((letter) => letter.charCodeAt(0)));
const section = (id, content) => [id, ...unsigned(content.length), ...content];

/**
 * A module of one function `run` over a memory `memory` of `pages`.
 * @param {{ parameters: string[], locals?: [number, string][], result?: string, body: number[],
 *   pages?: number }} description  types are i32, f32, v128
 */
export function assemble({ parameters, locals = [], result, body, pages = 0 }) {
  const type = [
    0x60,
    ...list(parameters.map((each) => [types[each]])),
    ...list(result === undefined ? [] : [[types[result]]]),
  ];
  const code = [...list(locals.map(([count, each]) => [...unsigned(count), types[each]])), ...body];
  code.push(0x0b);
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list([type])),
    ...section(3, list([[0]])),
    ...section(5, list([[0, ...unsigned(pages)]])),
    ...section(
      7,
      list([
        [...name('memory'), 2, 0],
        [...name('run'), 0, 0],
      ]),
    ),
    ...section(10, list([[...unsigned(code.length), ...code]])),
  ]);
}
