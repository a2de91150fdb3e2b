import { wrong } from '../../check.js';
import { PosencError, show } from '../../error.js';

/** Checks an optional AbortSignal, also of another realm. */
export function checkSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  if (Object.prototype.toString.call(signal) !== '[object AbortSignal]') {
    throw wrong('argument', 'signal', signal, 'an AbortSignal');
  }
  return signal as AbortSignal;
}

/** Throws when a signal has fired. */
export function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  const details = { argument: 'signal', cause: signal.reason as unknown };
  throw new PosencError('aborted', 'reading was aborted', details);
}

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
  checkAborted(signal);
  let value: T;
  try {
    value = await read();
  } catch (problem) {
    checkAborted(signal);
    throw problem instanceof PosencError ? problem : unreadable(name, problem);
  }
  checkAborted(signal);
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
