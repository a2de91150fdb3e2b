import { wrong } from './check.js';
import { PosencError } from './error.js';

/** Checks an optional AbortSignal, also of another realm. */
export function checkSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  if (Object.prototype.toString.call(signal) !== '[object AbortSignal]') {
    throw wrong('argument', 'signal', signal, 'an AbortSignal');
  }
  return signal as AbortSignal;
}

/** The error of something whose signal fired: `load`, `generate` … */
export const aborted = (signal: AbortSignal, what: string): PosencError =>
  new PosencError('aborted', `${what} was aborted`, { argument: 'signal', cause: signal.reason });

/** Throws when a signal has fired. */
export function expectGoing(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted === true) throw aborted(signal, what);
}
