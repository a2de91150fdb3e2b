import { PosencError } from '../error.js';
import type { LiveCache } from './live.js';

/** What a layer was to store of one sequence. */
export interface Newcomers {
  readonly layer: number;
  readonly sequence: number;
  /** Tokens that are not padding. */
  readonly real: number;
  /** Their largest coordinate, where positions were given. */
  readonly farthest: number | undefined;
}

/** Throws when a cache that never evicts has too few slots left. */
export function checkRoom(cache: LiveCache, newcomers: readonly Newcomers[]): void {
  const { window, capacity } = cache.setup;
  if (window > 0) return;
  const failing = newcomers.find((one) => lengthOf(cache, one) + one.real > capacity);
  if (failing !== undefined) throw full(cache, failing);
}

/** Throws what a refusal by the module means to whoever gave the tokens. */
export function expectStored(
  cache: LiveCache,
  status: number,
  call: string,
  newcomers: readonly Newcomers[],
): void {
  const { engine, setup, encodings } = cache;
  switch (engine.statusName(status)) {
    case 'capacity': {
      const needing = newcomers.filter((one) => one.real > 0);
      const fullest = needing.reduce((most, one) =>
        lengthOf(cache, one) > lengthOf(cache, most) ? one : most,
      );
      throw full(cache, fullest);
    }
    case 'position': {
      const { low, high } = encodings.domain;
      const allowed = `positions from ${low} to ${high}, which the encodings know`;
      const farthest = Math.max(...newcomers.map((one) => nextOf(cache, one) + one.real - 1));
      throw new PosencError('range', `positions would reach ${farthest}, needs ${allowed}`, {
        argument: 'positions',
        received: `positions up to ${farthest}`,
        allowed,
      });
    }
    case 'unsupported': {
      const allowed = `at most as many tokens as there is room for beside what they see (capacity ${setup.capacity})`;
      throw new PosencError(
        'unsupported',
        `return is not possible where tokens of one call evict each other, needs ${allowed}`,
        { argument: 'return', received: 'a chunk that evicts what its first tokens see', allowed },
      );
    }
    default:
      engine.expectOk(status, call);
  }
}

const lengthOf = ({ engine, handle }: LiveCache, { layer, sequence }: Newcomers): number =>
  engine.kernels.cacheCount(handle, layer, sequence);

const nextOf = ({ engine, handle }: LiveCache, { layer, sequence }: Newcomers): number =>
  engine.kernels.cacheNext(handle, layer, sequence);

function full(cache: LiveCache, newcomers: Newcomers): PosencError {
  const { layer, sequence, real } = newcomers;
  const { capacity } = cache.setup;
  const taken = lengthOf(cache, newcomers);
  const where = `sequence ${sequence} of layer ${layer}`;
  const room = `${where} has ${taken} of ${capacity} slots taken`;
  return new PosencError('capacity', `no slots for ${real} more tokens: ${room}`, {
    argument: 'key',
    received: `${real} tokens`,
    allowed: `at most ${capacity - taken} tokens for ${where}`,
  });
}
