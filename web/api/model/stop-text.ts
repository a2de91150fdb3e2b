import type { Tokenizer, TokenStream } from './tokenizers/types.js';

/** Text of ids as they come, without any of the stop texts: what may become one waits. */
export class StopText {
  /** Whether a stop text appeared. */
  stopped = false;
  readonly #stream: TokenStream | undefined;
  readonly #stops: readonly string[];
  #waiting = '';

  constructor(tokenizer: Tokenizer | undefined, stops: readonly string[]) {
    this.#stream = tokenizer?.stream();
    this.#stops = stops;
  }

  /** What is certain after one more id. */
  push(id: number): string {
    return this.#take(this.#stream?.push(id) ?? '');
  }

  /** What is left. */
  end(): string {
    const text = this.#take(this.#stream?.end() ?? '') + this.#waiting;
    this.#waiting = '';
    return text;
  }

  #take(text: string): string {
    if (this.stopped) return '';
    const all = this.#waiting + text;
    const found = this.#stops.map((stop) => all.indexOf(stop)).filter((at) => at >= 0);
    if (found.length > 0) {
      this.stopped = true;
      this.#waiting = '';
      return all.slice(0, Math.min(...found));
    }
    const certain = all.length - this.#held(all);
    this.#waiting = all.slice(certain);
    return all.slice(0, certain);
  }

  /** Length of the longest end of a text that a stop text begins with. */
  #held(text: string): number {
    let held = 0;
    for (const stop of this.#stops) {
      for (let length = Math.min(stop.length - 1, text.length); length > held; length--) {
        if (text.endsWith(stop.slice(0, length))) held = length;
      }
    }
    return held;
  }
}
