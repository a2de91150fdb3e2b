import { aborted } from './signal.js';

/** A load that several callers may wait for. */
interface Shared<Result> {
  readonly promise: Promise<Result>;
  readonly controller: AbortController;
  /** Callers who have not given up. */
  waiting: number;
}

/** Loads by what was asked for: equal ones share a result, and failed ones are forgotten. */
export class SharedLoads<Key, Result> {
  readonly #loads = new Map<Key, Shared<Result>>();

  /** Waits for what `start` gives for `key`, until the signal fires; the last to give up stops it. */
  share(
    key: Key,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    let shared = this.#loads.get(key);
    if (shared === undefined) {
      const controller = new AbortController();
      shared = { promise: start(controller.signal), controller, waiting: 0 };
      this.#loads.set(key, shared);
      const started = shared;
      shared.promise.catch(() => this.#forget(key, started));
    }
    return this.#wait(key, shared, signal);
  }

  /** The next to ask for `key` starts anew. */
  forget(key: Key): void {
    this.#loads.delete(key);
  }

  #forget(key: Key, shared: Shared<Result>): void {
    if (this.#loads.get(key) === shared) this.#loads.delete(key);
  }

  #wait(key: Key, shared: Shared<Result>, signal: AbortSignal | undefined): Promise<Result> {
    shared.waiting += 1;
    if (signal === undefined) return shared.promise;
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        reject(aborted(signal, 'load'));
        shared.waiting -= 1;
        if (shared.waiting > 0) return;
        this.#forget(key, shared);
        shared.controller.abort();
      };
      signal.addEventListener('abort', giveUp);
      const stopListening = (): void => signal.removeEventListener('abort', giveUp);
      shared.promise.finally(stopListening).then(resolve, reject);
    });
  }
}
