/**
 * What the machine and the engine can do at most, measured in the same run as the work that is held
 * against it: a multiply-add loop in registers, a copy, a streaming read. Each is a WebAssembly module
 * of one loop, written by hand.
 */
import { assemble, op } from './assembler.mjs';

const PAGE = 65536;

/** Chains of multiply-adds that do not wait for each other: enough to hide the latency of each. */
const CHAINS = 12;
const UNROLLED = 4;
const MULTIPLY_ADD_LOOPS = 20000;

/** Vectors that one pass of the reading loop adds to sums of their own. */
const SUMS = 8;
const VECTOR = 16;

const times = (count, make) => Array.from({ length: count }, (_, i) => make(i)).flat();

/** Σ of the vectors in locals first … first + count − 1, as the number in its first lane. */
const sumOf = (first, count) => [
  ...op.get(first),
  ...times(count - 1, (i) => [...op.get(first + 1 + i), ...op.addVectors]),
  ...op.firstLane,
];

/** run(loops): each chain turns x into x · 0.5 + 1, which stays near 2. */
function multiplyAddModule(relaxed) {
  const [counter, factor, addend, first] = [0, 1, 2, 3];
  const step = relaxed
    ? [...op.get(factor), ...op.get(addend), ...op.relaxedMultiplyAdd]
    : [...op.get(factor), ...op.multiplyVectors, ...op.get(addend), ...op.addVectors];
  return assemble({
    parameters: ['i32'],
    locals: [[2 + CHAINS, 'v128']],
    result: 'f32',
    body: [
      ...[...op.f32(0.5), ...op.splat, ...op.set(factor)],
      ...[...op.f32(1), ...op.splat, ...op.set(addend)],
      ...times(CHAINS, (i) => [...op.f32(i), ...op.splat, ...op.set(first + i)]),
      ...op.loop([
        ...times(UNROLLED * CHAINS, (i) => {
          const chain = first + (i % CHAINS);
          return [...op.get(chain), ...step, ...op.set(chain)];
        }),
        ...[...op.get(counter), ...op.i32(1), ...op.subtract, ...op.tee(counter), ...op.repeatIf],
      ]),
      ...sumOf(first, CHAINS),
    ],
  });
}

/** run(from, to): the sum of the numbers between two addresses, a multiple of 128 bytes apart. */
function readModule() {
  const [at, end, first] = [0, 1, 2];
  return assemble({
    parameters: ['i32', 'i32'],
    locals: [[SUMS, 'v128']],
    result: 'f32',
    body: [
      ...op.loop([
        ...times(SUMS, (i) => [
          ...[...op.get(first + i), ...op.get(at), ...op.load(VECTOR * i)],
          ...[...op.addVectors, ...op.set(first + i)],
        ]),
        ...[...op.get(at), ...op.i32(VECTOR * SUMS), ...op.add, ...op.tee(at)],
        ...[...op.get(end), ...op.lessThan, ...op.repeatIf],
      ]),
      ...sumOf(first, SUMS),
    ],
  });
}

/** run(to, from, bytes) */
function copyModule() {
  return assemble({
    parameters: ['i32', 'i32', 'i32'],
    body: [...op.get(0), ...op.get(1), ...op.get(2), ...op.copy],
  });
}

function start(bytes, memoryBytes = 0) {
  const { memory, run } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
  memory.grow(Math.ceil(memoryBytes / PAGE));
  // Written once: pages that nobody wrote to all share one page of zeros, which reads too fast.
  new Float32Array(memory.buffer).fill(1);
  return run;
}

const hasRelaxedSimd = () => WebAssembly.validate(multiplyAddModule(true));

/**
 * The multiply-add loop of a build: fused where the build is.
 * @returns {Limit} in floating-point operations
 */
function multiplyAdd(variant) {
  const relaxed = variant === 'relaxed' && hasRelaxedSimd();
  const run = start(multiplyAddModule(relaxed));
  return {
    name: relaxed ? 'fused multiply-add' : 'multiply and add',
    unit: 'GFLOP/s',
    amount: 2 * 4 * CHAINS * UNROLLED * MULTIPLY_ADD_LOOPS,
    call: () => run(MULTIPLY_ADD_LOOPS),
  };
}

/** A sum over as many bytes as the work reads. @returns {Limit} in bytes */
function read(bytes) {
  const whole = VECTOR * SUMS * Math.ceil(bytes / (VECTOR * SUMS));
  const run = start(readModule(), whole);
  if (run(0, whole) !== whole / VECTOR) throw new Error('the reading loop does not read all');
  return { name: 'streaming read', unit: 'GB/s', amount: whole, call: () => run(0, whole) };
}

/** `memory.copy` of as many bytes as the work turns. @returns {Limit} in bytes, read and written */
function copy(bytes) {
  const run = start(copyModule(), 2 * bytes);
  return { name: 'memory.copy', unit: 'GB/s', amount: 2 * bytes, call: () => run(bytes, 0, bytes) };
}

/**
 * @typedef {{ name: string, unit: string, amount: number, call: () => void }} Limit  `amount` of work
 *   in one call, flops or bytes
 */

/** @type {Record<string, (variant: string, bytes: number) => Limit>} */
export const limits = {
  'multiply-add': (variant) => multiplyAdd(variant),
  read: (_, bytes) => read(bytes),
  copy: (_, bytes) => copy(bytes),
};
