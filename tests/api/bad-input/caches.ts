/** Options of caches, and what is done to them. */
import { numbers, posenc } from '../posenc.js';
import { detached, hole, js, sparse, x, type Case } from './fixtures.js';

type Untyped = { readonly [Method in Name]: (...args: unknown[]) => Untyped };
type Name =
  | ('kvCache' | 'attend' | 'append' | 'length' | 'next' | 'positions' | 'evict' | 'truncate')
  | ('shift' | 'copySequence' | 'clear' | 'fork' | 'save' | 'restore' | 'dispose');

const pe = posenc as unknown as Untyped;
const rope = js.encoding('rope', { headDim: 16 });
const longrope = js.encoding('rope', {
  headDim: 16,
  scaling: {
    ...{ type: 'longrope', factor: 4, originalMaxPosition: 32 },
    ...{ shortFactor: Array(8).fill(1), longFactor: Array(8).fill(4) },
  },
});
const learned = js.encoding('learned', { width: 8, table: numbers(64) });
const fox = js.encoding('fox', { heads: 2, tokens: 6, logGates: new Float32Array(12) });
const options = { layers: 2, batch: 2, kvHeads: 1, headDim: 16, capacity: 6, encoding: rope };
const k = numbers(2 * 2 * 16);
const bytes = (change: object = {}) => posenc.kvCache({ ...options, ...change } as never).save();

/** Makes a cache that works but for the change. */
const made = (change: unknown) => () => pe.kvCache(change);
const open = (change: object) => made({ ...options, ...change });

/** Does something to a cache of two layers and two sequences of two tokens each. */
function then(use: (cache: Untyped) => unknown, change: object = {}) {
  return () => {
    const cache = pe.kvCache({ ...options, ...change });
    cache.append(0, { key: k, value: k });
    try {
      return use(cache);
    } finally {
      cache.dispose();
    }
  };
}

const attended = (change: object, layer: unknown = 0) =>
  then((cache) => cache.attend(layer, { query: k, key: k, value: k, ...change }));
const appended = (change: object) =>
  then((cache) => cache.append(0, { key: k, value: k, ...change }));
const restored = (given: unknown) => then((cache) => cache.restore(given));

export const caches: Case[] = [
  [made(undefined), 'argument', 'headDim', 'headDim is missing'],
  [made(7), 'argument', 'options', 'options is 7, needs an object with the options of kvCache'],
  [open({ headdim: 8 }), 'option', 'headdim', 'did you mean headDim?'],
  [open({ kvHeads: undefined }), 'argument', 'kvHeads', 'kvHeads is missing'],
  ...(['layers', 'batch', 'kvHeads', 'headDim', 'valueDim', 'capacity'] as const).flatMap(
    (name): Case[] => [
      [open({ [name]: 0 }), 'range', name, `${name} is 0, needs an integer from 1`],
      [open({ [name]: NaN }), 'range', name, `${name} is NaN`],
      [open({ [name]: '3' }), 'argument', name, `${name} is "3"`],
    ],
  ),
  [open({ capacity: 2 ** 29 }), 'range', 'the keys of the cache', 'at most 2^29 fit'],
  [open({ headDim: 8 }), 'shape', 'encoding.options.headDim', 'headDim is 16, needs that of the'],
  [open({ encoding: 'rope' }), 'argument', 'encoding', 'needs what encoding() of a loaded'],
  [open({ encoding: [rope, rope] }), 'argument', 'encoding[1]', 'fills the hook rotate, which'],
  [open({ window: 0 }), 'range', 'window', 'window is 0'],
  [open({ window: { before: 2 } }), 'argument', 'window', 'window is an object'],
  [open({ window: 5, sinks: 2 }), 'range', 'capacity', 'needs at least window + sinks = 7'],
  [open({ sinks: -1 }), 'range', 'sinks', 'sinks is -1'],
  [open({ sinks: 7 }), 'range', 'capacity', 'needs at least window + sinks = 7'],
  [open({ axes: 0 }), 'range', 'axes', 'axes is 0'],
  [open({ positions: 'slot' }), 'option', 'positions', 'did you mean "slots"?'],
  [
    open({ positions: 'slots', axes: 2 }),
    'unsupported',
    'positions',
    'needs "absolute", since they have 2 axes',
  ],
  [
    open({ positions: 'slots', encoding: [rope, learned] }),
    'unsupported',
    'positions',
    'since encoding[1] (learned) depends on more than distances',
  ],
  [open({ store: 'cooked' }), 'option', 'store', 'needs "auto", "turned" or "raw"'],
  [
    open({ store: 'turned', positions: 'slots' }),
    'unsupported',
    'store',
    'needs "raw": positions "slots" change while keys wait',
  ],
  [
    open({ store: 'turned', encoding: longrope }),
    'unsupported',
    'store',
    'encoding (rope) turns by a table that changes beyond a length of 32 (fix it by the option length)',
  ],
  [open({ store: 'turned', encoding: [] }), 'unsupported', 'store', 'no encoding turns keys'],
  [
    open({ store: 'turned', encoding: js.encoding('pope', { headDim: 16 }) }),
    'unsupported',
    'store',
    'encoding (pope) does more than turning pairs',
  ],

  [attended({}, 2), 'range', 'layer', 'layer is 2, needs an integer from 0 to 1'],
  [attended({}, null), 'argument', 'layer', 'layer is null, needs an integer from 0 to 1'],
  [then((cache) => cache.attend(0)), 'argument', 'key', 'key is missing'],
  [then((cache) => cache.append(0, 'k')), 'argument', 'tokens', 'tokens is "k"'],
  [attended({ window: 2 }), 'option', 'window', 'it takes key, value'],
  [attended({ keymask: [1] }), 'option', 'keymask', 'did you mean keyMask?'],
  [attended({ key: numbers(33) }), 'shape', 'key', 'a multiple of batch·kvHeads·headDim = 2·1·16'],
  [attended({ key: new Float32Array(0) }), 'shape', 'key', 'key has 0 numbers'],
  [
    attended({ key: [1] }),
    'argument',
    'key',
    'needs a Float32Array or a tensor: Float32Array.from',
  ],
  [attended({ key: detached(numbers(64)) }), 'memory', 'key', 'detached'],
  [attended({ value: numbers(32) }), 'shape', 'value', 'value has 32 numbers, needs batch·kvHeads'],
  [
    attended({ query: numbers(63) }),
    'shape',
    'query',
    'a multiple of batch·kvHeads·tokens·headDim',
  ],
  [attended({ sequence: 2 }), 'range', 'sequence', 'sequence is 2, needs an integer from 0 to 1'],
  [attended({ sequence: -1 }), 'range', 'sequence', 'sequence is -1'],
  [attended({ positions: [0] }), 'shape', 'positions', 'needs one per token = 2, or per'],
  [attended({ positions: 0.5 }), 'range', 'positions', 'positions is 0.5'],
  [attended({ positions: sparse(1, hole) }), 'argument', 'positions[1]', 'positions[1] is missing'],
  [
    then((cache) => cache.append(0, { key: k, value: k, positions: 4 }), { positions: 'slots' }),
    'argument',
    'positions',
    'needs nothing, since positions of the cache are its slots',
  ],
  [attended({ keyMask: [1, 1, 1] }), 'shape', 'keyMask', 'needs one value per key = 2, or'],
  [attended({ keyMask: [1, 2] }), 'range', 'keyMask[1]', 'is 2, needs true or 1'],
  [attended({ causal: 'no' }), 'argument', 'causal', 'causal is "no"'],
  [attended({ softcap: 0 }), 'range', 'softcap', 'softcap is 0'],
  [attended({ scale: NaN }), 'range', 'scale', 'scale is NaN'],
  [attended({ sinkLogits: numbers(2) }), 'shape', 'sinkLogits', 'needs heads = 1'],
  [attended({ queryScales: numbers(3) }), 'shape', 'queryScales', 'needs one value per query = 2'],
  [attended({ return: ['weight'] }), 'option', 'return[0]', 'did you mean "weights"?'],
  [attended({ out: numbers(3) }), 'shape', 'out', 'out has 3 numbers'],
  [
    then((cache) => cache.attend(0, { query: numbers(96), key: k, value: k, sequence: 0 }), {
      encoding: fox,
    }),
    'shape',
    'query',
    'needs a multiple of',
  ],
  [
    then((cache) => cache.attend(0, { query: k, key: k, value: k }), { encoding: fox }),
    'shape',
    'encoding.options.heads',
    'heads is 2, needs that of the attention call, 1',
  ],
  [
    then((cache) => cache.append(0, { key: x.slice(0, 80), value: x.slice(0, 80), sequence: 1 })),
    'capacity',
    'key',
    'no slots for 5 more tokens: sequence 1 of layer 0 has 2 of 6 slots taken',
  ],
  [
    then((cache) => cache.append(0, { key: x, value: x, sequence: 0 }), {
      ...{ encoding: fox, capacity: 20 },
    }),
    'range',
    'positions',
    'positions would reach 9, needs positions from 0 to 5, which the encodings know',
  ],
  [
    then(
      (cache) => {
        const inputs = { query: x, key: x, value: x, return: ['weights'], sequence: 1 };
        return cache.attend(0, inputs);
      },
      { window: 3 },
    ),
    'unsupported',
    'return',
    'not possible where tokens of one call evict each other',
  ],
  [appended({ query: k }), 'option', 'query', 'is not an option of append'],

  [then((cache) => cache.length({ layer: 2 })), 'range', 'layer', 'layer is 2'],
  [then((cache) => cache.next({ sequence: 2 })), 'range', 'sequence', 'sequence is 2'],
  [then((cache) => cache.positions(1)), 'argument', 'place', 'place is 1, needs an object'],
  [then((cache) => cache.length({ slot: 1 })), 'option', 'slot', 'it takes layer, sequence'],
  [then((cache) => cache.evict(1)), 'argument', 'slots', 'slots is 1, needs an array of integers'],
  [
    then((cache) => cache.evict([0, 2], { layer: 0 })),
    'range',
    'slots[1]',
    'is 2, needs an intege',
  ],
  [then((cache) => cache.evict([0])), 'range', 'slots[0]', 'needs no slots, since none is taken'],
  [then((cache) => cache.evict([0.5], { layer: 0 })), 'range', 'slots[0]', 'slots[0] is 0.5'],
  [then((cache) => cache.evict(sparse(0, hole), { layer: 0 })), 'argument', 'slots[1]', 'missing'],
  [
    then((cache) => cache.evict(detached(Int32Array.of(1)), { layer: 0 })),
    'memory',
    'slots',
    'detached',
  ],
  [then((cache) => cache.truncate(-1)), 'range', 'length', 'length is -1'],
  [then((cache) => cache.truncate(7)), 'range', 'length', 'needs an integer from 0 to 6'],
  [
    then(
      (cache) => {
        cache.append(0, { key: x, value: x, sequence: 0 });
        cache.truncate(1, { layer: 0, sequence: 0 });
      },
      { window: 3 },
    ),
    'range',
    'length',
    'the window evicted what comes before',
  ],
  [then((cache) => cache.shift(0.5)), 'range', 'delta', 'delta is 0.5'],
  [
    then((cache) => cache.shift(2 ** 30)),
    'range',
    'delta',
    'a shift that keeps tokens at positions',
  ],
  [then((cache) => cache.shift(1, { from: 3, to: 2 })), 'range', 'to', 'to is 2, needs an integer'],
  [
    then((cache) => cache.shift(1), { positions: 'slots' }),
    'unsupported',
    'shift',
    'positions of the cache are its slots',
  ],
  [
    then((cache) => cache.shift(1), { encoding: [rope, learned] }),
    'unsupported',
    'shift',
    'shift is not defined here: encoding[1] (learned) depends on more than distances',
  ],
  [then((cache) => cache.copySequence(0, 2)), 'range', 'to', 'to is 2'],
  [then((cache) => cache.copySequence(undefined, 1)), 'argument', 'from', 'from is missing'],
  [then((cache) => cache.clear({ sequence: 2 })), 'range', 'sequence', 'sequence is 2'],
  [then((cache) => cache.clear({ layer: 1 })), 'option', 'layer', 'it takes sequence'],

  [restored(undefined), 'argument', 'bytes', 'bytes is missing, needs the Uint8Array that'],
  [restored(new Uint8Array(0)), 'argument', 'bytes', 'whole and unchanged'],
  [restored(new Uint8Array(99)), 'argument', 'bytes', 'whole and unchanged'],
  [restored(new TextEncoder().encode('posenc-cache-1 null\n')), 'argument', 'bytes', 'whole and'],
  [restored(new TextEncoder().encode('posenc-cache-1 {\n')), 'argument', 'bytes', 'whole and'],
  [
    restored(new TextEncoder().encode('posenc-cache-1 {}\n')),
    'argument',
    'bytes.layers',
    'missing',
  ],
  [restored(bytes().subarray(0, -1)), 'argument', 'bytes', 'whole and unchanged'],
  [restored(detached(bytes())), 'memory', 'bytes', 'detached'],
  [restored(bytes({ batch: 3 })), 'argument', 'bytes.batch', 'is 3, needs that of this cache, 2'],
  [restored(bytes({ window: 3 })), 'argument', 'bytes.window', 'is 3, needs that of this cache, 0'],
  [restored(bytes({ store: 'raw' })), 'argument', 'bytes.store', '"raw", needs that of this cache'],
  [
    restored(bytes({ encoding: js.encoding('rope', { headDim: 16, layout: 'interleaved' }) })),
    'argument',
    'bytes.rotation',
    'needs that of this cache, ["rope"',
  ],
  ...(['attend', 'append', 'length', 'next', 'positions', 'evict', 'truncate'] as const).map(
    disposed,
  ),
  ...(['shift', 'copySequence', 'clear', 'fork', 'save', 'restore'] as const).map(disposed),
];

/** A method of a cache that is no more. */
function disposed(method: Name): Case {
  const call = () => {
    const cache = pe.kvCache(options);
    cache.dispose();
    cache.dispose();
    return cache[method](0, 0);
  };
  return [call, 'disposed', 'the cache', 'the cache was disposed, needs a live cache'];
}
