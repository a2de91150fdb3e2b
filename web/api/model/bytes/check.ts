import { PosencError, show } from '../../error.js';
import { expectGoing } from '../../signal.js';

/** The error for a source that cannot be read. */
export function unreadable(name: string, problem: unknown): PosencError {
  const reason = problem instanceof Error ? problem.message : String(problem);
  return new PosencError('config', `cannot read ${name}: ${reason}`, {
    argument: name,
    received: show(name),
    allowed: 'bytes that can be read',
    cause: problem,
  });
}

/** Runs a read; whatever it throws becomes a PosencError, `aborted` when the signal fired meanwhile. */
export async function reading<T>(
  name: string,
  signal: AbortSignal | undefined,
  read: () => Promise<T>,
): Promise<T> {
  expectGoing(signal, 'reading');
  let value: T;
  try {
    value = await read();
  } catch (problem) {
    expectGoing(signal, 'reading');
    throw problem instanceof PosencError ? problem : unreadable(name, problem);
  }
  expectGoing(signal, 'reading');
  return value;
}

/** The error for bytes outside a source: a file that was cut short. */
export function outside(name: string, offset: number, length: number, size: number): PosencError {
  const wanted = `bytes ${offset} to ${offset + length}`;
  return new PosencError('config', `${name} has ${size} bytes, needs ${wanted} (cut short?)`, {
    argument: name,
    received: `${size} bytes`,
    allowed: wanted,
  });
}
