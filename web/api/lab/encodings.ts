/** The encodings that models are compared with: how each begins, and what of it is trained. */
import { unknownName } from '../check.js';
import { PosencError } from '../error.js';
import type { Encoding, Posenc, Tensor } from '../types.js';

/** Sizes of a model that encodings depend on. */
export interface LabSizes {
  readonly width: number;
  readonly heads: number;
  readonly headDim: number;
  readonly layers: number;
  /** The longest sequence that the model will ever see, tokens. */
  readonly longest: number;
}

/** What makes an encoding: sizes, and where its trained numbers come from. */
interface Making extends LabSizes {
  readonly pe: Posenc;
  /** Numbers that are trained: zeros plus normal numbers of a deviation, or plus what is given. */
  readonly trained: (option: string, shape: readonly number[], initial: Initial) => Tensor;
}

/** Deviation of normal numbers, or the numbers. */
type Initial = number | Float32Array;

/** How an encoding of the lab comes about. */
interface LabEncoding {
  readonly title: { readonly zh: string; readonly en: string };
  /** Rows added to the input. */
  readonly embedding?: (making: Making) => Encoding;
  /** What attention of a layer takes; called once, or once per layer where layers have their own. */
  readonly attention?: (making: Making) => Encoding | readonly Encoding[];
  /** Every layer has numbers of its own. */
  readonly perLayer?: boolean;
  /** Scores are not divided by √headDim, so that queries begin smaller. */
  readonly unscaled?: boolean;
}

const geometric = (count: number, from: number, to: number): Float32Array =>
  Float32Array.from(
    { length: count },
    (_, i) => from * (to / from) ** (i / Math.max(1, count - 1)),
  );

/** Distances with a vector of their own in Shaw's encoding and Transformer-XL's, after their papers. */
const shawDistance = 16;

const labEncodings = {
  nope: {
    title: { zh: '无位置编码 NoPE', en: 'NoPE' },
    attention: ({ pe }) => pe.encoding('nope'),
  },
  learned: {
    title: { zh: '可学习', en: 'Learned' },
    embedding: ({ pe, width, longest, trained }) =>
      pe.encoding('learned', {
        width,
        table: trained('table', [longest, width], 1 / Math.sqrt(width)),
      }),
    attention: ({ pe }) => pe.encoding('nope'),
  },
  sinusoidal: {
    title: { zh: '正弦', en: 'Sinusoidal' },
    // A trained factor brings rows to the size of word vectors.
    embedding: ({ pe, width, trained }) =>
      pe.encoding('sinusoidal', {
        width,
        scale: trained('scale', [1], Float32Array.of(Math.sqrt(2 / width))),
      }),
    attention: ({ pe }) => pe.encoding('nope'),
  },
  t5: {
    title: { zh: 'T5 偏置', en: 'T5 bias' },
    unscaled: true,
    attention: ({ pe, heads, trained }) =>
      pe.encoding('t5', { heads, bidirectional: false, table: trained('table', [32, heads], 0) }),
  },
  alibi: {
    title: { zh: 'ALiBi', en: 'ALiBi' },
    attention: ({ pe, heads }) => pe.encoding('alibi', { heads }),
  },
  rope: {
    title: { zh: 'RoPE', en: 'RoPE' },
    attention: ({ pe, headDim }) => pe.encoding('rope', { headDim }),
  },
  xpos: {
    title: { zh: 'xPos', en: 'xPos' },
    attention: ({ pe, headDim }) => pe.encoding('xpos', { headDim }),
  },
  pope: {
    title: { zh: 'PoPE', en: 'PoPE' },
    perLayer: true,
    attention: ({ pe, heads, headDim, trained }) =>
      pe.encoding('pope', {
        heads,
        headDim,
        phases: trained('phases', [heads, headDim], 0),
      }),
  },
  shaw: {
    title: { zh: 'Shaw', en: 'Shaw' },
    perLayer: true,
    attention: ({ pe, headDim, trained }) =>
      pe.encoding('shaw', {
        headDim,
        maxDistance: shawDistance,
        keys: trained('keys', [2 * shawDistance + 1, headDim], 1 / Math.sqrt(headDim)),
        values: trained('values', [2 * shawDistance + 1, headDim], 1 / Math.sqrt(headDim)),
      }),
  },
  transformer_xl: {
    title: { zh: 'Transformer-XL', en: 'Transformer-XL' },
    perLayer: true,
    attention: ({ pe, heads, headDim, width, longest, trained }) =>
      pe.encoding('transformer_xl', {
        heads,
        headDim,
        maxDistance: longest,
        contentBias: trained('contentBias', [heads, headDim], 0),
        positionBias: trained('positionBias', [heads, headDim], 0),
        projection: trained('projection', [heads * headDim, width], 1 / Math.sqrt(width)),
      }),
  },
  kerple: {
    title: { zh: 'KERPLE', en: 'KERPLE' },
    perLayer: true,
    attention: ({ pe, heads, trained }) =>
      pe.encoding('kerple', {
        heads,
        r1: trained('r1', [heads], geometric(heads, 2, 0.1)),
        r2: trained('r2', [heads], geometric(heads, 2, 0.1)),
      }),
  },
  fire: {
    title: { zh: 'FIRE', en: 'FIRE' },
    perLayer: true,
    attention: ({ pe, heads, trained }) =>
      pe.encoding('fire', {
        heads,
        width: 16,
        initialLength: 32,
        w1: trained('w1', [16, 1], 1),
        b1: trained('b1', [16], 1),
        w2: trained('w2', [heads, 16], 1 / 4),
        b2: trained('b2', [heads], 0),
        c: trained('c', [1], Float32Array.of(0.1)),
        lengthMultiplier: trained('lengthMultiplier', [1], Float32Array.of(1)),
      }),
  },
  sandwich: {
    title: { zh: 'Sandwich', en: 'Sandwich' },
    attention: ({ pe, heads }) => pe.encoding('sandwich', { heads }),
  },
  cope: {
    title: { zh: 'CoPE', en: 'CoPE' },
    perLayer: true,
    attention: ({ pe, headDim, trained }) =>
      pe.encoding('cope', { headDim, vectors: trained('vectors', [64, headDim], 0) }),
  },
} as const satisfies Record<string, LabEncoding>;

/** Names of the encodings that the lab trains. */
export type LabEncodingName = keyof typeof labEncodings;

export const labEncodingNames = Object.keys(labEncodings) as readonly LabEncodingName[];

/** How the name of an encoding reads, by language. */
export const labEncodingTitles = Object.fromEntries(
  Object.entries(labEncodings).map(([name, { title }]) => [name, title]),
) as Readonly<Record<LabEncodingName, { readonly zh: string; readonly en: string }>>;

const known: Readonly<Record<string, LabEncoding>> = labEncodings;

/** Checks the name of an encoding. */
export function checkLabEncoding(name: unknown, argument = 'encoding'): LabEncodingName {
  if (typeof name === 'string' && Object.hasOwn(known, name)) return name as LabEncodingName;
  throw unknownName(argument, name, labEncodingNames);
}

/** Whether scores are not divided by √headDim. */
export const isUnscaled = (name: LabEncodingName): boolean => known[name]!.unscaled === true;

/** The positions of one model: what `trainer`, `logits` and `generate` take as options. */
export interface LabPositions {
  readonly encoding: (layer: number) => Encoding | readonly Encoding[];
  readonly embedding?: Encoding;
  /** What is trained, by names such as `embedding.table`, `0.keys`. */
  readonly tensors: ReadonlyMap<string, Tensor>;
}

/**
 * Makes an encoding for a model. Its trained numbers come from `given` where they are there, else from
 * a seed; whoever makes them disposes them.
 */
export function makePositions(
  pe: Posenc,
  name: LabEncodingName,
  sizes: LabSizes,
  { seed, given }: { readonly seed: number; readonly given?: ReadonlyMap<string, Float32Array> },
): LabPositions {
  const { attention, embedding, perLayer = false } = known[name]!;
  const random = pe.random(seed);
  const tensors = new Map<string, Tensor>();
  const making = (place: string): Making => ({
    ...sizes,
    pe,
    trained(option, shape, initial) {
      const key = `${place}.${option}`;
      const count = shape.reduce((all, n) => all * n, 1);
      const fresh = () =>
        typeof initial === 'number' ? random.normal(count).map((x) => x * initial) : initial;
      const table = given?.get(key) ?? fresh();
      if (table.length !== count) throw unfit(key, table.length, shape);
      const tensor = pe.tensor(table, shape);
      tensors.set(key, tensor);
      return tensor;
    },
  });
  try {
    const added = embedding?.(making('embedding'));
    const layers = Array.from({ length: perLayer ? sizes.layers : 1 }, (_, layer) =>
      attention!(making(perLayer ? String(layer) : 'all')),
    );
    return {
      encoding: (layer) => layers[perLayer ? layer : 0]!,
      ...(added === undefined ? {} : { embedding: added }),
      tensors,
    };
  } catch (problem) {
    for (const tensor of tensors.values()) tensor.dispose();
    throw problem;
  }
}

/** The error for a table of another model. */
function unfit(key: string, count: number, shape: readonly number[]): PosencError {
  const received = `${count} numbers`;
  const allowed = `those of [${shape.join(', ')}]`;
  return new PosencError('config', `posenc.encoding.${key} has ${received}, needs ${allowed}`, {
    argument: 'weights',
    received,
    allowed,
  });
}
