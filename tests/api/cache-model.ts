/** A cache as one would write it for reading: lists of tokens, and attention over them in float64. */
import { attention, slopes, turn } from './reference.js';

/** Sizes and rules of a cache, as `kvCache` takes them. */
export interface ModelSetup {
  readonly layers: number;
  readonly batch: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly valueDim: number;
  readonly capacity: number;
  /** Dimensions that turn; 0 = none. */
  readonly rotaryDim: number;
  readonly layout: 'half' | 'interleaved';
  readonly alibi: boolean;
  readonly window?: number;
  readonly sinks?: number;
  readonly positions: 'absolute' | 'slots';
}

/** Numbers of one token: of each kv head in turn. */
interface Token {
  position: number;
  readonly key: readonly number[];
  readonly value: readonly number[];
}

interface Row {
  tokens: Token[];
  next: number;
}

/** New tokens of one layer, `[sequences, heads, tokens, width]`. */
export interface Arrivals {
  readonly sequences: readonly number[];
  readonly tokens: number;
  readonly query: Float32Array;
  readonly key: Float32Array;
  readonly value: Float32Array;
  /** `[sequences, tokens]` */
  readonly real: readonly boolean[];
  /** `[sequences, tokens]`, where they were said. */
  readonly positions?: readonly number[];
}

export class ModelCache {
  readonly setup: ModelSetup;
  rows: Row[][];

  constructor(setup: ModelSetup) {
    this.setup = setup;
    this.rows = Array.from({ length: setup.layers }, () =>
      Array.from({ length: setup.batch }, () => ({ tokens: [], next: 0 })),
    );
  }

  /** Whether all new tokens find room. With a window, what nobody sees makes it. */
  hasRoom(layer: number, { sequences, tokens, real }: Arrivals): boolean {
    if (this.setup.window !== undefined) return true;
    return sequences.every((sequence, i) => {
      const more = real.slice(i * tokens, (i + 1) * tokens).filter(Boolean).length;
      return this.rows[layer]![sequence]!.tokens.length + more <= this.setup.capacity;
    });
  }

  /** Output `[sequences, heads, tokens, valueDim]`, token by token. */
  attend(layer: number, arrivals: Arrivals): number[] {
    const { heads, kvHeads, headDim, valueDim } = this.setup;
    const { sequences, tokens, real, positions } = arrivals;
    const output = Array<number>(sequences.length * heads * tokens * valueDim).fill(0);
    for (const [i, sequence] of sequences.entries()) {
      const row = this.rows[layer]![sequence]!;
      for (let t = 0; t < tokens; t++) {
        if (!real[i * tokens + t]) continue;
        const pick = (x: Float32Array, heads: number, width: number) =>
          Array.from({ length: heads }, (_, h) => {
            const start = ((i * heads + h) * tokens + t) * width;
            return [...x.subarray(start, start + width)];
          }).flat();
        const position = positions?.[i * tokens + t] ?? row.next;
        const key = pick(arrivals.key, kvHeads, headDim);
        this.#store(row, { position, key, value: pick(arrivals.value, kvHeads, valueDim) });
        const attended = this.#attend(row, pick(arrivals.query, heads, headDim));
        for (let h = 0; h < heads; h++) {
          for (let d = 0; d < valueDim; d++) {
            const at = ((i * heads + h) * tokens + t) * valueDim + d;
            output[at] = attended[h * valueDim + d]!;
          }
        }
      }
    }
    return output;
  }

  #store(row: Row, token: Token): void {
    const { window, sinks = 0, positions } = this.setup;
    if (positions === 'slots' && window !== undefined && row.tokens.length === window + sinks) {
      row.tokens.splice(sinks, 1);
    }
    row.tokens.push(token);
    row.next = Math.max(row.next, token.position + 1);
    this.#renumber(row);
  }

  #renumber(row: Row): void {
    if (this.setup.positions === 'absolute') return;
    for (const [slot, token] of row.tokens.entries()) token.position = slot;
    row.next = row.tokens.length;
  }

  /** What the query of the newest token gets, `[heads, valueDim]`. */
  #attend(row: Row, query: readonly number[]): number[] {
    const { heads, kvHeads, headDim, valueDim, rotaryDim, layout, alibi } = this.setup;
    const { window = Infinity, sinks = 0 } = this.setup;
    const { tokens } = row;
    const { position: at } = tokens.at(-1)!;
    const ofHeads = (side: 'key' | 'value', width: number) =>
      Array.from({ length: kvHeads }, (_, h) =>
        tokens.flatMap((token) => token[side].slice(h * width, (h + 1) * width)),
      ).flat();
    return attention({
      ...{ batch: 1, heads, kvHeads, queries: 1, keys: tokens.length, headDim, valueDim, query },
      ...{ key: ofHeads('key', headDim), value: ofHeads('value', valueDim), causal: true },
      queryPosition: () => at,
      keyPosition: (_, n) => tokens[n]!.position,
      ...(rotaryDim > 0 && { rotate: (x, position) => turn(x, position, { rotaryDim, layout }) }),
      ...(alibi && { bias: (h, distance) => -slopes(heads)[h]! * Math.abs(distance) }),
      sees: (_, __, ___, n) => {
        const { position } = tokens[n]!;
        return (sinks > 0 && position < sinks) || at - position < window;
      },
    }).output;
  }

  /** Removes tokens by their places in the list. */
  evict(layer: number, sequence: number, places: readonly number[]): void {
    const row = this.rows[layer]![sequence]!;
    row.tokens = row.tokens.filter((_, i) => !places.includes(i));
    this.#renumber(row);
  }

  /** Keeps the first `count` of the list. */
  truncate(layer: number, sequence: number, count: number): void {
    const row = this.rows[layer]![sequence]!;
    const first = row.tokens[count];
    if (first === undefined) return;
    row.next = first.position;
    row.tokens = row.tokens.slice(0, count);
  }

  /** Adds `delta` to positions from `from` on; where there are no tokens, nothing moves. */
  shift(layer: number, sequence: number, delta: number, from: number): void {
    const row = this.rows[layer]![sequence]!;
    if (row.tokens.length > 0 && row.next - 1 >= from) row.next += delta;
    for (const token of row.tokens) if (token.position >= from) token.position += delta;
  }

  copySequence(from: number, to: number): void {
    for (const row of this.rows) row[to] = structuredClone(row[from]!);
  }

  clear(sequence: number): void {
    for (const row of this.rows) row[sequence] = { tokens: [], next: 0 };
  }
}
