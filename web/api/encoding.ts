import { checkShape, size } from './array.js';
import { placeBlock, type Block, type ResolvedBlock } from './block.js';
import { checkOptions, choice, flag, unknownName, wrong } from './check.js';
import { readDomain } from './domain.js';
import type { Engine } from './engine.js';
import { PosencError } from './error.js';
import { Frame } from './frame.js';
import { countAxes, countTokens, placePositions, placeSides } from './place-positions.js';
import { decodeOptions, encodeOptions, explainRule } from './registry.js';
import { scaledTable, separateScaling, tableOptions } from './rope-scaling.js';
import { ResidentTensor } from './tensor.js';
import { placeGradients } from './trained.js';
import type {
  BiasOptions,
  CosSin,
  Data,
  EmbedOptions,
  Encoding,
  EncodingDescription,
  EncodingInput,
  EncodingName,
  Hook,
  Positions,
  RotateGradients,
  RotateOptions,
  ScaleOptions,
  TableOptions,
  TrainedGradients,
} from './types.js';

const sides = ['query', 'key'] as const;
const rowKeys = ['tokens', 'axes'];
const scaleKeys = [...rowKeys, 'heads'];
const turnKeys = ['shape', 'positions', 'axes', 'side'];
const embedNames = ['tokens', 'width'];
const rotateNames = ['batch', 'heads', 'tokens', 'headDim'];
const turnedNames = ['batch', 'heads', 'tokens', 'turned headDim'];
const tableNames = ['tokens', 'pairs'];
const biasNames = ['heads', 'queries', 'keys'];
const scaleNames = ['heads', 'tokens'];
const biasKeys = ['queryPositions', 'keyPositions', 'axes', 'queries', 'keys'];

/** A configured encoding; see {@link Encoding}. */
export class ConfiguredEncoding<Name extends EncodingName> implements Encoding<Name> {
  readonly name: Name;
  readonly options: Encoding<Name>['options'];
  readonly hooks: readonly Hook[];
  readonly inverseFrequencies: Float64Array;
  readonly attentionFactor: number;
  readonly softmaxFactor: number;
  readonly #engine: Engine;
  readonly #block: ResolvedBlock;

  constructor(engine: Engine, name: Name, options: EncodingInput<Name> | undefined) {
    const names = engine.encodings.map((encoding) => encoding.name);
    const index = names.indexOf(name);
    if (index < 0) throw unknownName('encoding', name, names);
    const description = engine.encodings[index]!;
    const { plain, rope } = separateScaling(name, options);
    const encode = (given: object | undefined): Block => {
      const { values, arrays } = encodeOptions(description, given);
      return { values: Float64Array.of(index, ...values), arrays };
    };
    let block = encode(plain);
    let resolved = resolve(engine, description, block);
    const scaled = scaledTable(rope, resolved.options);
    const filled = scaled === null ? resolved.options : { ...resolved.options, ...rope };
    if (scaled !== null) {
      block = encode({ ...plain, ...tableOptions(scaled) });
      resolved = resolve(engine, description, block);
    }
    this.name = name;
    this.options = Object.freeze(filled) as unknown as Encoding<Name>['options'];
    this.hooks = description.hooks;
    this.inverseFrequencies = resolved.inverseFrequencies;
    this.attentionFactor = resolved.attentionFactor;
    this.softmaxFactor = scaled?.softmaxFactor ?? 1;
    this.#engine = engine;
    this.#block = { ...block, domain: resolved.domain };
    Object.freeze(this);
  }

  /** The block of an encoding of this package; throws for any other value. */
  static block(value: unknown, argument: string): ResolvedBlock {
    if (typeof value === 'object' && value !== null && #block in value) return value.#block;
    throw wrong('argument', argument, value, 'what encoding() of a loaded module returns');
  }

  embed<Output extends Data = Float32Array>(
    positions: Positions,
    options?: EmbedOptions<Output>,
  ): NoInfer<Output> {
    const checked = checkOptions(options, [...rowKeys, 'out'], 'embed');
    const { tokens, axes, place } = this.#rows(positions, checked);
    return this.#run('embed', (frame, encoding) => {
      const { kernels } = this.#engine;
      const shape = [tokens, this.#engine.told(kernels.embedWidth(encoding))];
      const result = frame.output(checked.out, 'out', shape, embedNames);
      const pointer = place(frame);
      const status = kernels.embed(encoding, pointer, tokens, axes, result.pointer);
      this.#engine.expectOk(status, 'embed');
      return result.deliver();
    });
  }

  embedGradient(
    gradient: Data,
    positions: Positions,
    options?: Omit<EmbedOptions, 'out'>,
  ): TrainedGradients<Name> {
    const checked = checkOptions(options, rowKeys, 'embedGradient');
    const { tokens, axes, place } = this.#rows(positions, checked);
    return this.#trained('embed', (frame, encoding, gradients) => {
      const { kernels } = this.#engine;
      const shape = [tokens, this.#engine.told(kernels.embedWidth(encoding))];
      const given = frame.input(gradient, 'gradient', shape, embedNames);
      return kernels.embedGradient(encoding, place(frame), tokens, axes, given, gradients);
    });
  }

  rotate<Output extends Data = Float32Array>(
    x: Data,
    options?: RotateOptions<Output>,
  ): NoInfer<Output> {
    const checked = checkOptions(options, [...turnKeys, 'inverse', 'out'], 'rotate');
    const inverse = flag(checked.inverse, 'inverse') ? 1 : 0;
    return this.#run('rotate', (frame, encoding) => {
      const { turned, ...call } = this.#placeTurn(frame, encoding, x, checked);
      // An array was copied, and the copy can be turned where it is.
      const inPlace = turned[3] === call.head_dim;
      const spare = inPlace && !ResidentTensor.is(x) ? call.x : undefined;
      const result = frame.output(checked.out, 'out', turned, turnedNames, { inPlace, spare });
      const block = frame.call(this.#engine.rotateOrder, { ...call, inverse, out: result.pointer });
      this.#engine.expectOk(this.#engine.kernels.rotate(block), 'rotate');
      return result.deliver();
    });
  }

  rotateGradient<Output extends Data = Float32Array>(
    gradient: Data,
    x: Data,
    options?: Omit<RotateOptions<Output>, 'inverse'>,
  ): RotateGradients<Name, NoInfer<Output>> {
    const checked = checkOptions(options, [...turnKeys, 'out'], 'rotateGradient');
    return this.#run('rotate', (frame, encoding) => {
      const { kernels } = this.#engine;
      const { turned, ...call } = this.#placeTurn(frame, encoding, x, checked);
      const out = frame.input(gradient, 'gradient', turned, turnedNames);
      const shape = [call.batch, call.heads, call.tokens, call.head_dim];
      const result = frame.output(checked.out, 'out', shape, rotateNames);
      const trained = placeGradients(frame, this.#engine, this.#block, undefined);
      const block = frame.call(this.#engine.rotateOrder, { ...call, inverse: 0, out });
      const status = kernels.rotateGradient(block, trained.pointer, result.pointer);
      this.#engine.expectOk(status, 'rotateGradient');
      const gradients = { ...trained.deliver(), x: result.deliver() };
      return gradients as unknown as RotateGradients<Name, Output>;
    });
  }

  table<Output extends Data = Float32Array>(
    positions: Positions,
    options?: TableOptions<Output>,
  ): CosSin<NoInfer<Output>> {
    const checked = checkOptions(options, [...rowKeys, 'side', 'out'], 'table');
    const out = checkTableOut(checked.out);
    const { tokens, axes, place } = this.#rows(positions, checked);
    const side = sides.indexOf(choice(checked.side, 'side', sides));
    return this.#run('rotate', (frame, encoding) => {
      const { kernels } = this.#engine;
      const shape = [tokens, this.#engine.told(kernels.rotationWidth(encoding))];
      const cos = frame.output(out?.cos, 'out.cos', shape, tableNames);
      const sin = frame.output(out?.sin, 'out.sin', shape, tableNames);
      const status = kernels.rotationTable(
        encoding,
        side,
        place(frame),
        tokens,
        axes,
        cos.pointer,
        sin.pointer,
      );
      this.#engine.expectOk(status, 'table');
      return { cos: cos.deliver(), sin: sin.deliver() };
    });
  }

  bias(options: BiasOptions): Float32Array {
    const checked = checkOptions(options, biasKeys, 'bias');
    return this.#run('bias', (frame, encoding) => {
      const { kernels } = this.#engine;
      const { shape, places } = this.#placeBias(frame, encoding, checked);
      const result = frame.fresh('the bias', shape, biasNames);
      this.#engine.expectOk(kernels.bias(encoding, ...places, result.pointer), 'bias');
      return result.deliver();
    });
  }

  biasGradient(gradient: Data, options: BiasOptions): TrainedGradients<Name> {
    const checked = checkOptions(options, biasKeys, 'biasGradient');
    return this.#trained('bias', (frame, encoding, gradients) => {
      const { shape, places } = this.#placeBias(frame, encoding, checked);
      const given = frame.input(gradient, 'gradient', shape, biasNames);
      return this.#engine.kernels.biasGradient(encoding, ...places, given, gradients);
    });
  }

  scale(positions: Positions, options?: ScaleOptions): Float32Array {
    const checked = checkOptions(options, scaleKeys, 'scale');
    const { tokens, axes, place } = this.#rows(positions, checked);
    const heads = this.#heads(checked.heads);
    return this.#run('scale', (frame, encoding) => {
      const result = frame.fresh('the scale', [heads, tokens], scaleNames);
      const { kernels } = this.#engine;
      const status = kernels.scale(encoding, place(frame), tokens, axes, heads, result.pointer);
      this.#engine.expectOk(status, 'scale');
      return result.deliver();
    });
  }

  scaleGradient(
    gradient: Data,
    positions: Positions,
    options?: ScaleOptions,
  ): TrainedGradients<Name> {
    const checked = checkOptions(options, scaleKeys, 'scaleGradient');
    const { tokens, axes, place } = this.#rows(positions, checked);
    const heads = this.#heads(checked.heads);
    return this.#trained('scale', (frame, encoding, gradients) => {
      const given = frame.input(gradient, 'gradient', [heads, tokens], scaleNames);
      const { kernels } = this.#engine;
      return kernels.scaleGradient(encoding, place(frame), tokens, axes, heads, given, gradients);
    });
  }

  /** How many rows there are, and what places their positions, one per token. */
  #rows(positions: Positions, options: { tokens?: number; axes?: number }) {
    const { domain } = this.#block;
    const axes = countAxes(options.axes, domain);
    const tokens = countTokens(positions, options.tokens, 'positions', 'tokens', axes);
    const extent = { batch: 1, tokens, axes, domain };
    const place = (frame: Frame) => placePositions(frame, positions, extent, 'positions').pointer;
    return { tokens, axes, place };
  }

  /** Writes what is to be turned; the shape of the result is `turned`. */
  #placeTurn(
    frame: Frame,
    encoding: number,
    x: Data,
    { positions = 0, ...options }: Omit<RotateOptions, 'inverse' | 'out'>,
  ) {
    const { domain } = this.#block;
    const axes = countAxes(options.axes, domain);
    const side = sides.indexOf(choice(options.side, 'side', sides));
    const shape = this.#rotationShape(x, options.shape);
    const [batch, heads, tokens, head_dim] = shape;
    const input = frame.input(x, 'x', shape, rotateNames);
    const placed = placePositions(frame, positions, { batch, tokens, axes, domain }, 'positions');
    return {
      turned: [batch, heads, tokens, this.#engine.told(this.#engine.kernels.turnedDim(encoding))],
      encoding,
      side,
      x: input,
      batch,
      heads,
      tokens,
      head_dim,
      axes,
      positions: placed.pointer,
      positions_per_batch: placed.perBatch,
    };
  }

  /** Writes the positions of both sides, in the order in which the kernels take them. */
  #placeBias(frame: Frame, encoding: number, options: BiasOptions) {
    const { queryPositions, keyPositions } = options;
    const { domain } = this.#block;
    const axes = countAxes(options.axes, domain);
    const queries = countTokens(queryPositions, options.queries, 'queryPositions', 'queries', axes);
    const keys = countTokens(keyPositions, options.keys, 'keyPositions', 'keys', axes, queries);
    const counts = { batch: 1, queries, keys, axes, domain };
    const { query, key } = placeSides(frame, { ...counts, queryPositions, keyPositions });
    return {
      shape: [this.#engine.told(this.#engine.kernels.biasHeads(encoding)), queries, keys],
      places: [query.pointer, queries, key.pointer, keys, axes] as const,
    };
  }

  /** How many heads a scale is wanted for. */
  #heads(given: unknown): number {
    const { heads = 1 } = this.options as { heads?: number };
    return given === undefined ? heads : size(given, 'heads');
  }

  /** Runs a call that adds to zeros of the shape of each trained option, and returns these. */
  #trained(
    hook: Hook,
    call: (frame: Frame, encoding: number, gradients: number) => number,
  ): TrainedGradients<Name> {
    return this.#run(hook, (frame, encoding) => {
      const { pointer, deliver } = placeGradients(frame, this.#engine, this.#block, undefined);
      this.#engine.expectOk(call(frame, encoding, pointer), `${hook}Gradient`);
      return deliver() as TrainedGradients<Name>;
    });
  }

  /** Runs one call of a hook that this encoding must fill, and frees what the call used. */
  #run<T>(hook: Hook, call: (frame: Frame, encoding: number) => T): T {
    if (!this.hooks.includes(hook)) throw missingHook(this.name, this.hooks, hook);
    const frame = new Frame(this.#engine.memory);
    try {
      return call(frame, placeBlock(frame, this.#block, 'options.'));
    } finally {
      frame.release();
    }
  }

  /** `[batch, heads, tokens, headDim]` of what is to be turned. */
  #rotationShape(x: Data, given: readonly number[] | undefined): [number, number, number, number] {
    const shape = given === undefined && ResidentTensor.is(x) ? x.shape : given;
    const dimensions = checkShape(shape, 4);
    const { headDim } = this.options as object as { headDim: number };
    if (dimensions.at(-1) !== headDim) {
      const argument = `shape[${dimensions.length - 1}]`;
      throw wrong('shape', argument, dimensions.at(-1), `the encoding's headDim = ${headDim}`);
    }
    const padded = [...Array<number>(4 - dimensions.length).fill(1), ...dimensions];
    return padded as [number, number, number, number];
  }
}

/** Checks that a table has two places to go to. */
function checkTableOut<Output extends Data>(
  out: CosSin<Output> | undefined,
): CosSin<Output> | undefined {
  if (out === undefined) return undefined;
  const { cos, sin } = checkOptions(out, ['cos', 'sin'], 'table', 'out');
  const allowed = 'a Float32Array or a tensor';
  if (cos === undefined) throw wrong('argument', 'out.cos', cos, allowed);
  if (sin === undefined) throw wrong('argument', 'out.sin', sin, allowed);
  if (cos === sin) throw wrong('argument', 'out.sin', sin, 'another one than out.cos');
  return out;
}

/** Fills in defaults; throws with the rule that the options break together. */
function resolve(engine: Engine, description: EncodingDescription, block: Block) {
  const { kernels } = engine;
  const frame = new Frame(engine.memory);
  try {
    const pointer = placeBlock(frame, block, '');
    const status = kernels.resolve(pointer);
    const { values, arrays } = block;
    values.set(kernels.HEAPF64.subarray(pointer >>> 3, (pointer >>> 3) + values.length));
    const options = decodeOptions(description, values.subarray(1), arrays);
    if (status !== 0) {
      const index = kernels.faultParameter();
      const { name } = description.parameters[index] ?? description;
      const code = arrays.some((array) => array.index === index) ? 'shape' : 'range';
      throw wrong(code, name, options[name], explainRule(kernels.faultRule(), options));
    }
    const count = kernels.frequencyCount(pointer);
    const frequencies = frame.bytes(8 * count, 'the frequencies');
    engine.expectOk(kernels.frequencies(pointer, frequencies), 'frequencies');
    const start = frequencies >>> 3;
    const inverseFrequencies = kernels.HEAPF64.slice(start, start + count);
    const { status: read, domain } = readDomain(frame, pointer);
    engine.expectOk(read, 'encoding');
    const attentionFactor = kernels.attentionFactor(pointer);
    return { options, inverseFrequencies, attentionFactor, domain };
  } finally {
    frame.release();
  }
}

function missingHook(name: string, hooks: readonly Hook[], hook: Hook): PosencError {
  const filled = hooks.length === 0 ? 'no hook' : hooks.join(', ');
  return new PosencError(
    'unsupported',
    `${name} does not fill the hook ${hook}: it fills ${filled}`,
    {
      argument: 'encoding',
      received: name,
      allowed: `an encoding with the hook ${hook}`,
    },
  );
}
