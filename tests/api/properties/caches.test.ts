/** A cache does what a list of tokens does, whatever is done to it in whatever order. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PosencError, type KvCache } from 'posenc';
import { ModelCache, type Arrivals, type ModelSetup } from '../cache-model.js';
import { expectNear, numbers, posenc } from '../posenc.js';

const policies = [
  { positions: 'absolute' },
  { positions: 'absolute', window: 4 },
  { positions: 'absolute', window: 3, sinks: 2 },
  { positions: 'slots' },
  { positions: 'slots', window: 3, sinks: 2 },
] as const;

const setups: fc.Arbitrary<ModelSetup> = fc
  .record({
    layers: fc.integer({ min: 1, max: 2 }),
    batch: fc.integer({ min: 1, max: 3 }),
    kvHeads: fc.constantFrom(1, 2, 4),
    headDim: fc.constantFrom(6, 13),
    valueDim: fc.integer({ min: 1, max: 5 }),
    capacity: fc.integer({ min: 5, max: 14 }),
    rotaryDim: fc.constantFrom(0, 4, 6),
    layout: fc.constantFrom('half', 'interleaved'),
    alibi: fc.boolean(),
    policy: fc.constantFrom(...policies),
  })
  .map(({ policy, ...setup }) => ({ ...setup, ...policy, heads: 4 }));

/** What is done, and numbers that say to what: each is taken modulo what there is. */
interface Step {
  readonly kind: 'attend' | 'evict' | 'truncate' | 'shift' | 'copy' | 'clear' | 'fork' | 'restore';
  readonly layer: number;
  readonly sequence: number;
  readonly amount: number;
  readonly bits: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.oneof(
      { weight: 6, arbitrary: fc.constant('attend' as const) },
      { weight: 2, arbitrary: fc.constantFrom('evict' as const, 'truncate' as const) },
      fc.constantFrom('shift' as const, 'copy' as const, 'clear' as const),
      fc.constantFrom('fork' as const, 'restore' as const),
    ),
    layer: fc.nat(5),
    sequence: fc.nat(5),
    amount: fc.nat(99),
    bits: fc.nat(0xffff),
  }),
  { maxLength: 24 },
);

/** The cache under test beside its model. */
class Pair {
  readonly model: ModelCache;
  readonly options: Parameters<typeof posenc.kvCache>[0];
  cache: KvCache;

  constructor(setup: ModelSetup, store: 'auto' | 'raw') {
    const { heads, rotaryDim, layout, alibi, ...rest } = setup;
    const rope = { headDim: setup.headDim, rotaryDim, layout };
    const encoding = [
      ...(rotaryDim > 0 ? [posenc.encoding('rope', rope)] : []),
      ...(alibi ? [posenc.encoding('alibi', { heads })] : []),
    ];
    this.model = new ModelCache(setup);
    this.options = { ...rest, encoding, store };
    this.cache = posenc.kvCache(this.options);
  }

  /** Where the tokens in the slots of the cache stand in the list of the model, which a window leaves longer. */
  places(layer: number, sequence: number): number[] {
    const listed = this.model.rows[layer]![sequence]!.tokens.map(({ position }) => position);
    const { window, positions } = this.model.setup;
    const stored = [...this.cache.positions({ layer, sequence })];
    if (window === undefined || positions === 'slots') {
      expect(stored).toEqual(listed);
      return stored.map((_, slot) => slot);
    }
    const places = stored.map((position) => listed.indexOf(position));
    expect(places).not.toContain(-1);
    return places;
  }

  replace(next: KvCache): void {
    this.cache.dispose();
    this.cache = next;
  }

  run(step: Step, seed: number): void {
    const { layers, batch, positions, window, sinks = 0 } = this.model.setup;
    const [layer, sequence] = [step.layer % layers, step.sequence % batch];
    const count = this.cache.length({ layer, sequence });
    switch (step.kind) {
      case 'attend':
        this.attend(step, layer, sequence, seed);
        break;
      case 'evict': {
        const slots = Array.from({ length: count }, (_, slot) => slot);
        const chosen = slots.filter((slot) => (step.bits >> slot) % 2 === 1).reverse();
        const places = this.places(layer, sequence);
        this.cache.evict(chosen, { layer, sequence });
        this.model.evict(
          layer,
          sequence,
          chosen.map((slot) => places[slot]!),
        );
        break;
      }
      case 'truncate': {
        const length = step.amount % (count + 1);
        const places = this.places(layer, sequence);
        try {
          this.cache.truncate(length, { layer, sequence });
        } catch (error) {
          // What the next token would see may be gone from a window.
          expect(error).toMatchObject({ code: 'range', argument: 'length' });
          expect(window).toBeDefined();
          break;
        }
        if (length < count) this.model.truncate(layer, sequence, places[length]!);
        break;
      }
      case 'shift': {
        if (positions === 'slots') break;
        // Tokens stay in their order. With sinks, none comes back to them that the window evicted.
        const stored = this.cache.positions({ layer, sequence });
        const slot = window === undefined && count > 0 ? step.amount % count : 0;
        const from = slot === 0 ? -(2 ** 30) : stored[slot]!;
        const back = slot === 0 ? (sinks > 0 ? 0 : 9) : stored[slot]! - stored[slot - 1]! - 1;
        const delta = (step.bits % 20) - Math.min(back, 9);
        this.cache.shift(delta, { layer, sequence, from });
        this.model.shift(layer, sequence, delta, from);
        break;
      }
      case 'copy': {
        const to = step.amount % batch;
        this.cache.copySequence(sequence, to);
        this.model.copySequence(sequence, to);
        break;
      }
      case 'clear':
        this.cache.clear({ sequence });
        this.model.clear(sequence);
        break;
      case 'fork':
        this.replace(this.cache.fork());
        break;
      case 'restore': {
        const next = posenc.kvCache(this.options);
        next.restore(this.cache.save());
        this.replace(next);
        break;
      }
    }
  }

  attend(step: Step, layer: number, sequence: number, seed: number): void {
    const { batch, heads, kvHeads, headDim, valueDim, positions } = this.model.setup;
    const alone = step.amount % 3 === 0;
    const sequences = alone ? [sequence] : Array.from({ length: batch }, (_, i) => i);
    const tokens = 1 + (step.amount % 7);
    const many = sequences.length * tokens;
    const real = Array.from(
      { length: many },
      (_, i) => tokens === 1 || (step.bits >> (i % 16)) % 4 > 0,
    );
    const padded = (data: Float32Array, heads: number, width: number) =>
      data.map((x, i) => {
        const row = Math.floor(i / width);
        const entry = Math.floor(row / tokens / heads);
        return real[entry * tokens + (row % tokens)] ? x : NaN;
      });
    const some = (heads: number, width: number, which: number) =>
      padded(numbers(many * heads * width, 1000 * which + seed), heads, width);
    // Gaps in the positions, of some calls.
    const said =
      positions === 'absolute' && step.bits % 5 === 0
        ? sequences.flatMap((one) => {
            const first = this.cache.next({ layer, sequence: one }) + (step.bits % 3);
            return Array.from({ length: tokens }, (_, t) => first + t * (1 + (step.bits % 2)));
          })
        : undefined;
    const arrivals: Arrivals = {
      ...{ sequences, tokens, real, ...(said && { positions: said }) },
      query: some(heads, headDim, 1),
      key: some(kvHeads, headDim, 2),
      value: some(kvHeads, valueDim, 3),
    };
    const { query, key, value } = arrivals;
    const inputs = {
      ...{ query, key, value, keyMask: real, ...(said && { positions: said }) },
      ...(alone && { sequence }),
    };
    if (this.model.hasRoom(layer, arrivals)) {
      expectNear(this.cache.attend(layer, inputs).output, this.model.attend(layer, arrivals));
      return;
    }
    expect(() => this.cache.attend(layer, inputs)).toThrow(PosencError);
  }

  /** Lengths, positions and what comes next are those of the model, in every layer and sequence. */
  check(): void {
    const { capacity } = this.model.setup;
    for (const [layer, row] of this.model.rows.entries()) {
      for (const [sequence, { next }] of row.entries()) {
        const places = this.places(layer, sequence);
        const { length } = places;
        expect(length).toBeLessThanOrEqual(capacity);
        const told = [this.cache.length({ layer, sequence }), this.cache.next({ layer, sequence })];
        expect(told).toEqual([length, next]);
      }
    }
  }
}

test.each(['auto', 'raw'] as const)('random operations, keys that wait as in %s', (store) => {
  const { liveCaches } = posenc.info;
  fc.assert(
    fc.property(setups, steps, (setup, steps) => {
      const pair = new Pair(setup, store);
      try {
        for (const [i, step] of steps.entries()) {
          pair.run(step, i);
          pair.check();
        }
      } finally {
        pair.cache.dispose();
      }
    }),
    { numRuns: 60, seed: 20261130 },
  );
  expect(posenc.info.liveCaches).toBe(liveCaches);
});
