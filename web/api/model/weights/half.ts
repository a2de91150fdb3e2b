/** 16-bit floats as their bits: exact widening to float32, rounding to nearest even on the way back. */

const pattern = new Uint32Array(1);
const single = new Float32Array(pattern.buffer);

/** bfloat16 is the upper half of a float32. */
export function widenBrain(bits: Uint16Array, out: Float32Array): Float32Array {
  const words = new Uint32Array(out.buffer, out.byteOffset, out.length);
  for (let i = 0; i < bits.length; i++) words[i] = bits[i]! << 16;
  return out;
}

let table: Uint32Array | undefined;

/** float16 (5 bits of exponent, 10 of fraction): all 65,536 of them, as bits of float32. */
function halves(): Uint32Array {
  table ??= Uint32Array.from({ length: 2 ** 16 }, (_, bits) => widenHalf(bits));
  return table;
}

/** float16 to float32, NaN payloads kept. */
export function widenHalves(bits: Uint16Array, out: Float32Array): Float32Array {
  const words = new Uint32Array(out.buffer, out.byteOffset, out.length);
  const wide = halves();
  for (let i = 0; i < bits.length; i++) words[i] = wide[bits[i]!]!;
  return out;
}

function widenHalf(bits: number): number {
  const sign = (bits & 0x8000) << 16;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return (sign | 0x7f800000 | (fraction << 13)) >>> 0;
  if (exponent > 0) return (sign | ((exponent + 112) << 23) | (fraction << 13)) >>> 0;
  single[0] = fraction * 2 ** -24; // zero and subnormals
  return (sign | pattern[0]!) >>> 0;
}

/** float32 to float16, ties to even; what is too large becomes infinite, NaN stays NaN. */
export function narrowHalves(numbers: Float32Array, out: Uint16Array): Uint16Array {
  const words = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  for (let i = 0; i < words.length; i++) out[i] = narrowHalf(words[i]!);
  return out;
}

function narrowHalf(word: number): number {
  const sign = (word >>> 16) & 0x8000;
  const exponent = (word >>> 23) & 255;
  const fraction = word & 0x7fffff;
  if (exponent === 255) return sign | 0x7c00 | (fraction === 0 ? 0 : 0x200 | (fraction >> 13));
  if (exponent >= 143) return sign | 0x7c00; // 65536 and above
  if (exponent >= 113) {
    // A carry out of the fraction goes on into the exponent, up to infinity: as it should.
    const bits = ((exponent - 112) << 10) | (fraction >> 13);
    return sign | roundEven(bits, fraction & 0x1fff, 0x1000);
  }
  if (exponent < 102) return sign; // below half of the smallest subnormal
  const shift = 126 - exponent;
  const whole = fraction | 0x800000;
  return sign | roundEven(whole >> shift, whole & (2 ** shift - 1), 2 ** (shift - 1));
}

const roundEven = (bits: number, rest: number, half: number): number =>
  bits + (rest > half || (rest === half && (bits & 1) === 1) ? 1 : 0);
