import { size } from '../array.js';
import { choice } from '../check.js';
import { LayerCache, kvCache } from '../cache/cache.js';
import type { LiveCache } from '../cache/live.js';
import { checkRoom, expectStored, type Newcomers } from '../cache/refuse.js';
import type { KvCache } from '../cache/types.js';
import { placeBlock, type ResolvedBlock } from '../block.js';
import { Frame } from '../frame.js';
import { embeddingBlock } from './embedding.js';
import type { StepLayerCall } from '../kernels.js';
import { placeAddresses, placeTerms, readTerms, scoreScale, type Term } from '../terms.js';
import { expectRope, layerKinds, type LayerKind } from './layer-kinds.js';
import type { LoadedModel } from './loaded.js';
import type { Encoding } from '../types.js';
import { runStep, type Placed, type StepInputs, type StepResult } from './run-step.js';
import type { StackSpec } from './spec.js';
import type { Part } from './transformer.js';
import type { ContextOptions } from './types.js';

/** What a context needs to know of its tokens. */
export interface ContextSize {
  /** Independent sequences. */
  readonly batch: number;
  /** Tokens that there must be room for, where the options do not say. */
  readonly tokens: number;
  /** Whether all of them stay, even those that no window shows any more. */
  readonly whole?: boolean;
}

/** Layers of one kind, with the cache where their keys wait; the layers of an encoder have none. */
interface Kind extends LayerKind {
  readonly cache: KvCache | undefined;
}

/** A model's stack at work: its encodings, and caches with the tokens so far. Disposed after use. */
export class Context {
  readonly #model: LoadedModel;
  readonly #part: Part;
  readonly #stack: StackSpec;
  readonly #kinds: Kind[] = [];
  readonly #embedding: ResolvedBlock | undefined;
  readonly #batch: number;

  constructor(model: LoadedModel, part: Part, of: ContextSize, options: ContextOptions = {}) {
    this.#model = model;
    this.#part = part;
    this.#batch = of.batch;
    const stack = model.spec[part as 'decoder' | 'encoder']!;
    this.#stack = stack;
    if (options.scaling !== undefined) expectRope(stack, options.scaling);
    const { engine } = model.transformer;
    const kinds = layerKinds(engine, stack, model.numbersOf(part), options);
    const capacity = size(options.capacity ?? of.tokens, 'capacity');
    choice(options.positions, 'positions', ['absolute', 'slots']);
    this.#embedding = embeddingBlock(options.embedding, model.spec.width);
    try {
      for (const kind of kinds) {
        this.#kinds.push({ ...kind, cache: this.#cacheOf(kind, of, capacity, options) });
      }
    } catch (problem) {
      this.dispose();
      throw problem;
    }
  }

  /** Tokens of a sequence so far. */
  length(sequence = 0): number {
    const cache = this.#kinds[0]?.cache;
    return cache === undefined ? 0 : cache.next({ sequence });
  }

  /** The caches, one of each kind of layers: for those who edit what is kept. */
  get caches(): readonly KvCache[] {
    return this.#kinds.flatMap(({ cache }) => cache ?? []);
  }

  /**
   * Passes new tokens of every sequence through the stack. Where a rotation follows the length of a
   * sequence, sequences of different lengths go one by one: none depends on its neighbours.
   */
  step(inputs: StepInputs): StepResult {
    const { engine } = this.#model.transformer;
    const newcomers = this.#newcomers(inputs);
    for (const { cache } of this.#kinds) {
      if (cache !== undefined) checkRoom(LayerCache.inside(cache), newcomers);
    }
    const frame = new Frame(engine.memory);
    try {
      if (this.#likeLengths(newcomers)) return this.#run(frame, inputs, -1, newcomers);
      const results = newcomers.map((one, entry) =>
        this.#run(frame, entryOf(inputs, entry, this.#batch), entry, [one]),
      );
      return joined(results);
    } finally {
      frame.release();
    }
  }

  /** What turns queries and keys of a layer in a sequence of a length; `undefined` = nothing does. */
  rotationOf(layer: number, length: number): Encoding | undefined {
    const kind = this.#kinds.find(({ layers }) => layers.includes(layer))!;
    const turns = ({ hooks }: Encoding): boolean => hooks.includes('rotate');
    if (kind.cache === undefined) return kind.encodings.find(turns);
    const { encodings } = LayerCache.inside(kind.cache);
    const terms = encodings.at(encodings.likeLength(() => length));
    return terms.map(({ encoding }) => encoding).find(turns);
  }

  dispose(): void {
    for (const { cache } of this.#kinds) cache?.dispose();
  }

  #cacheOf(
    { encodings, window, layers }: LayerKind,
    { batch, whole = false }: ContextSize,
    capacity: number,
    { sinks = 0, positions = 'absolute' }: ContextOptions,
  ): KvCache | undefined {
    const { kvHeads, headDim, causal } = this.#stack;
    if (!causal) return undefined;
    const kept = window === 0 ? 0 : window + sinks;
    // Twice the window: what goes makes room for a chunk at once.
    const enough = whole ? kept + capacity : Math.max(kept, Math.min(capacity, kept + window));
    const most = window === 0 ? capacity : enough;
    return kvCache(this.#model.transformer.engine, {
      ...{ layers: layers.length, batch, kvHeads, headDim, capacity: most, positions },
      encoding: encodings,
      ...(window === 0 ? {} : { window, sinks }),
    });
  }

  /** What each sequence is about to get, as layer 0 of every cache sees it. */
  #newcomers({ tokens, real }: StepInputs): Newcomers[] {
    return Array.from({ length: this.#batch }, (_, sequence) => {
      const own = real?.subarray(sequence * tokens, (sequence + 1) * tokens);
      const count = own === undefined ? tokens : own.reduce((sum, flag) => sum + flag, 0);
      return { layer: 0, sequence, real: count, farthest: undefined };
    });
  }

  /** Whether the rotations of all sequences follow the same length. */
  #likeLengths(newcomers: readonly Newcomers[]): boolean {
    if (newcomers.length === 1) return true;
    const lengths = newcomers.map((one) => this.#lengthsAfter(one).join());
    return lengths.every((length) => length === lengths[0]);
  }

  /** By kind, the length that its rotation follows once the newcomers are there. */
  #lengthsAfter({ sequence, real }: Newcomers): number[] {
    return this.#kinds.map(({ cache }) => {
      if (cache === undefined) return 0;
      const { encodings, setup } = LayerCache.inside(cache);
      const { window, sinks, positions } = setup;
      const most = positions === 'slots' && window > 0 ? window + sinks : Infinity;
      return encodings.likeLength(() => Math.min(cache.next({ sequence }) + real, most));
    });
  }

  #run(
    frame: Frame,
    inputs: StepInputs,
    sequence: number,
    newcomers: readonly Newcomers[],
  ): StepResult {
    const lengths = this.#lengthsAfter(newcomers[0]!);
    const live = this.#kinds.map(({ cache }) => cache && LayerCache.inside(cache));
    const before = this.#counts(newcomers);
    const placed = this.#place(frame, live, lengths);
    const batch = sequence < 0 ? this.#batch : 1;
    try {
      const call = { part: this.#part, batch, sequence };
      return runStep(this.#model, frame, { ...call, ...inputs }, placed, (status) => {
        const cache = live.find((one) => one !== undefined);
        if (cache !== undefined) expectStored(cache, status, 'the model', newcomers);
        this.#model.transformer.engine.expectOk(status, 'the model');
      });
    } catch (problem) {
      this.#takeBack(newcomers, before);
      throw problem;
    }
  }

  /** How many tokens each layer of each sequence held. */
  #counts(newcomers: readonly Newcomers[]): number[] {
    return newcomers.map(({ sequence }) => this.#kinds[0]?.cache?.length({ sequence }) ?? 0);
  }

  /** A step that failed halfway leaves no layer ahead of the others. */
  #takeBack(newcomers: readonly Newcomers[], before: readonly number[]): void {
    for (const { cache, window } of this.#kinds) {
      if (cache === undefined || window > 0) continue;
      for (const [i, { sequence }] of newcomers.entries()) cache.truncate(before[i]!, { sequence });
    }
  }

  /** Writes the encodings of every kind of layers, and which layer has which. */
  #place(
    frame: Frame,
    live: readonly (LiveCache | undefined)[],
    lengths: readonly number[],
  ): Placed {
    const { kernels } = this.#model.transformer.engine;
    const layers: StepLayerCall[] = [];
    const groups = this.#kinds.map((kind, group) => {
      const cache = live[group];
      const terms: readonly Term[] =
        cache === undefined ? readTerms(kind.encodings) : cache.encodings.at(lengths[group]!);
      const placed = placeTerms(frame, terms);
      for (const [index, layer] of kind.layers.entries()) {
        const handle = cache?.handle ?? 0;
        const window = cache === undefined ? kind.window : 0;
        layers[layer] = { group, window, cache: handle, cache_layer: index };
      }
      return {
        encodings: placeAddresses(frame, placed),
        encoding_count: placed.length,
        scale: kind.scale ?? scoreScale(kernels, placed, this.#stack.headDim),
      };
    });
    const embedding =
      this.#embedding === undefined ? 0 : placeBlock(frame, this.#embedding, 'embedding.');
    return { groups, layers, embedding };
  }
}

/** What one sequence of a step gets. */
function entryOf(
  { ids, tokens, real, wanted, ...rest }: StepInputs,
  entry: number,
  batch: number,
): StepInputs {
  const from = entry * tokens;
  const own = wanted.filter((row) => row >= from && row < from + tokens);
  return {
    ...rest,
    tokens,
    ids: ids.subarray(from, from + tokens),
    ...(real === undefined || batch === 1 ? {} : { real: real.subarray(from, from + tokens) }),
    wanted: own.map((row) => row - from),
  };
}

/** Rows of several steps, one after the other. */
function joined(results: readonly StepResult[]): StepResult {
  const join = (key: 'hidden' | 'logits'): Float32Array => {
    const out = new Float32Array(results.reduce((sum, result) => sum + result[key].length, 0));
    let end = 0;
    for (const result of results) {
      out.set(result[key], end);
      end += result[key].length;
    }
    return out;
  };
  return { hidden: join('hidden'), logits: join('logits'), layers: [] };
}
