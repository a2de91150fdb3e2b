/**
 * Which WebAssembly features the engine has, asked by validating modules of one function each,
 * assembled by hand: `() -> v128` that splats constants and applies one instruction.
 */

const splat = [0x41, 0x00, 0xfd, 0x0f]; // i32.const 0, i8x16.splat

/** A module with one function of type () -> v128 and this body. */
function moduleOf(...instructions: number[]): Uint8Array<ArrayBuffer> {
  const body = [0x00, ...instructions, 0x0b]; // no locals, …, end
  return Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // \0asm, version 1
    ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b], // type section: () -> v128
    ...[0x03, 0x02, 0x01, 0x00], // function section: one function of type 0
    ...[0x0a, body.length + 2, 0x01, body.length], // code section: one body
    ...body,
  );
}

/** Whether the engine runs 128-bit SIMD: `i32x4.neg`. */
export const hasSimd = (): boolean => WebAssembly.validate(moduleOf(...splat, 0xfd, 0xa1, 0x01));

/** Whether the engine runs relaxed SIMD with its final opcodes: `f32x4.relaxed_madd`. */
export const hasRelaxedSimd = (): boolean =>
  WebAssembly.validate(moduleOf(...splat, ...splat, ...splat, 0xfd, 0x85, 0x02));
