/** The module under test, and how near its numbers must be. */
import { load, PosencError, type PosencErrorCode } from 'posenc';
import { expect } from 'vitest';

/** The build that gives the same bits everywhere. */
export const posenc = await load({ variant: 'simd' });

/** Expects |actual − expected| ≤ 2e-6 + 2e-5·|expected|; infinities and NaN must be equal. */
export const expectNear = (actual: ArrayLike<number>, expected: ArrayLike<number>): void =>
  expectWithin(actual, expected, 2e-6, 2e-5);

/** The same of gradients: 1e-5 + 1e-4·|expected|. */
export const expectGradient = (actual: ArrayLike<number>, expected: ArrayLike<number>): void =>
  expectWithin(actual, expected, 1e-5, 1e-4);

function expectWithin(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  absolute: number,
  relative: number,
): void {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) {
    const [a, e] = [actual[i]!, expected[i]!];
    if (Object.is(a, e) || a === e || Math.abs(a - e) <= absolute + relative * Math.abs(e))
      continue;
    expect.fail(`number ${i} is ${a}, expected ${e}`);
  }
}

/** The PosencError that a call throws; fails when it throws nothing or something else. */
export function errorOf(call: () => unknown): PosencError {
  try {
    call();
  } catch (error) {
    if (error instanceof PosencError) return error;
    throw error;
  }
  return expect.fail('nothing was thrown');
}

/** The PosencError that a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<PosencError> {
  const outcome = await promise.then(
    () => expect.fail('nothing was thrown'),
    (error: unknown) => error,
  );
  if (outcome instanceof PosencError) return outcome;
  throw outcome;
}

/** Numbers that look random, the same in every run. */
export const numbers = (count: number, seed = 1): Float32Array => posenc.random(seed).normal(count);

export type { PosencErrorCode };
