import { commonDomain, type Domain } from '../domain.js';
import { ConfiguredEncoding } from '../encoding.js';
import type { Engine } from '../engine.js';
import { Frame } from '../frame.js';
import { followedFrom, type RopeScaling } from '../rope-scaling.js';
import { checkTerms, embedsOnly, placeTerms, readTerms, type Term } from '../terms.js';
import type { Encoding } from '../types.js';

/** The encodings of a cache: what acts in its calls, and what follows from them for its keys. */
export class CacheEncodings {
  /** Positions that those which act in attention know. */
  readonly domain: Domain;
  /** The one that turns keys. */
  readonly rotation: Term | undefined;
  /** Whether keys can wait turned by it. */
  readonly keepsTurned: boolean;
  /** One that depends on more than distances, so that no token may change its position. */
  readonly absolute: Term | undefined;
  /** Up to this length of a sequence the rotation is one and the same; `undefined` = at all lengths. */
  readonly followedFrom: number | undefined;
  readonly #engine: Engine;
  readonly #inside: readonly Term[];
  /** The rotation at lengths that were asked for. */
  readonly #tables = new Map<number, Term>();

  constructor(engine: Engine, given: unknown, shape: { headDim: number; valueDim: number }) {
    const all = readTerms(given);
    const inside = all.filter(({ encoding }) => !embedsOnly(encoding));
    checkTerms(inside, shape);
    const turning = inside.find(({ encoding }) => encoding.hooks.includes('rotate'));
    const { keepsTurned, absolute } = ask(engine, inside);
    this.domain = commonDomain(inside.map(({ block }) => block.domain));
    this.rotation = turning;
    this.keepsTurned = keepsTurned;
    this.absolute = all.find(({ encoding }) => embedsOnly(encoding)) ?? absolute;
    this.followedFrom = turning && followedFrom(turning.encoding.options as RopeScaling);
    this.#engine = engine;
    this.#inside = inside;
  }

  /** A length for which the same encodings hold as for that which `length` tells. */
  likeLength(length: () => number): number {
    if (this.followedFrom === undefined) return 0;
    const { scaling } = this.rotation!.encoding.options as RopeScaling;
    const longest = scaling!.type === 'longrope' ? this.followedFrom + 1 : Infinity;
    return Math.min(Math.max(length(), this.followedFrom), longest);
  }

  /** What says how keys were turned, and how they turn on. */
  get any(): readonly Term[] {
    return this.at(this.likeLength(() => 1));
  }

  /** What acts in a call on a sequence of a length that `likeLength` gave. */
  at(length: number): readonly Term[] {
    if (this.followedFrom === undefined) return this.#inside;
    const table = this.#tables.get(length) ?? this.#remake(length);
    return this.#inside.map((term) => (term === this.rotation ? table : term));
  }

  #remake(length: number): Term {
    const { encoding, argument } = this.rotation!;
    const options = { ...(encoding as Encoding<'rope'>).options, length };
    const made = new ConfiguredEncoding(this.#engine, 'rope', options);
    const term = { encoding: made, argument, block: ConfiguredEncoding.block(made, argument) };
    if (this.#tables.size >= maxTables) this.#tables.clear();
    this.#tables.set(length, term);
    return term;
  }
}

/** Layers of a step and sequences of a batch ask for few lengths, in turns. */
const maxTables = 64;

/** Asks the module about the encodings. */
function ask(engine: Engine, terms: readonly Term[]) {
  const frame = new Frame(engine.memory);
  try {
    const placed = placeTerms(frame, terms);
    const { kernels } = engine;
    return {
      keepsTurned: placed.some(({ pointer }) => kernels.keepsTurned(pointer) !== 0),
      absolute: placed.find(({ pointer }) => kernels.relative(pointer) === 0),
    };
  } finally {
    frame.release();
  }
}
