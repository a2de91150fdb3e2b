/** Errors of loading and running models, sorted into what a reader can do about them. */
import { PosencError } from 'posenc';
import type { Failure, Reason } from './protocol.js';

/** A fault that the page itself finds. */
export class PageFault extends Error {
  readonly reason: Reason;
  readonly received: string | undefined;

  constructor(reason: Reason, received?: string) {
    super(received ?? reason);
    this.reason = reason;
    this.received = received;
  }
}

/** What the page is told of an error. */
export function failureOf(error: unknown): Failure {
  if (error instanceof PageFault) {
    const { reason, message, received } = error;
    return { reason, message, ...(received !== undefined && { received }) };
  }
  if (error instanceof PosencError) {
    const { message, received, allowed } = error;
    return {
      ...{ reason: reasonOf(error), message },
      ...(received !== undefined && { received }),
      ...(allowed !== undefined && { allowed }),
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { reason: isRoom(message) ? 'memory' : 'other', message };
}

function reasonOf({ code, argument = '', message }: PosencError): Reason {
  switch (code) {
    case 'aborted':
      return 'stopped';
    case 'memory':
      return 'memory';
    case 'wasm-load':
      return 'wasm';
    case 'unsupported':
      return /model_type$|architecture/.test(argument) ? 'family' : 'other';
    case 'config':
      return argument === 'weights' ? 'tensors' : 'broken';
    case 'argument':
      return argument === 'text' && message.includes('alphabet') ? 'alphabet' : 'other';
    default:
      return 'other';
  }
}

/** Engines say “Array buffer allocation failed” or “Invalid typed array length”. */
const isRoom = (message: string): boolean => /allocation|array length|out of memory/i.test(message);
