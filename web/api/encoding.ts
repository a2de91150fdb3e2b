import { checkShape } from './array.js';
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
import type {
  BiasOptions,
  Data,
  EmbedOptions,
  Encoding,
  EncodingDescription,
  EncodingInput,
  EncodingName,
  Hook,
  Positions,
  RotateOptions,
  TableOptions,
} from './types.js';

const sides = ['query', 'key'] as const;
const rotateKeys = ['shape', 'positions', 'axes', 'side', 'inverse', 'out'];
const rotateNames = ['batch', 'heads', 'tokens', 'headDim'];
const turnedNames = ['batch', 'heads', 'tokens', 'turned headDim'];
const tableNames = ['tokens', 'pairs'];
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
    const checked = checkOptions(options, ['tokens', 'axes', 'out'], 'embed');
    const { domain } = this.#block;
    const axes = countAxes(checked.axes, domain);
    const tokens = countTokens(positions, checked.tokens, 'positions', 'tokens', axes);
    return this.#run('embed', (frame, encoding) => {
      const { kernels } = this.#engine;
      const shape = [tokens, kernels.embedWidth(encoding)];
      const result = frame.output(checked.out, 'out', shape, ['tokens', 'width']);
      const extent = { batch: 1, tokens, axes, domain };
      const { pointer } = placePositions(frame, positions, extent, 'positions');
      const status = kernels.embed(encoding, pointer, tokens, axes, result.pointer);
      this.#engine.expectOk(status, 'embed');
      return result.deliver();
    });
  }

  rotate<Output extends Data = Float32Array>(
    x: Data,
    options?: RotateOptions<Output>,
  ): NoInfer<Output> {
    const checked = checkOptions(options, rotateKeys, 'rotate');
    const { domain } = this.#block;
    const { positions = 0, out } = checked;
    const axes = countAxes(checked.axes, domain);
    const side = sides.indexOf(choice(checked.side, 'side', sides));
    const inverse = flag(checked.inverse, 'inverse') ? 1 : 0;
    return this.#run('rotate', (frame, encoding) => {
      const shape = this.#rotationShape(x, checked.shape);
      const [batch, heads, tokens, head_dim] = shape;
      const input = frame.input(x, 'x', shape, rotateNames);
      // An array was copied, and the copy can be turned where it is.
      const turned = [batch, heads, tokens, this.#engine.kernels.turnedDim(encoding)];
      const inPlace = turned[3] === head_dim;
      const spare = inPlace && !ResidentTensor.is(x) ? input : undefined;
      const result = frame.output(out, 'out', turned, turnedNames, { inPlace, spare });
      const placed = placePositions(frame, positions, { batch, tokens, axes, domain }, 'positions');
      const call = frame.call(this.#engine.rotateOrder, {
        encoding,
        side,
        inverse,
        x: input,
        out: result.pointer,
        batch,
        heads,
        tokens,
        head_dim,
        axes,
        positions: placed.pointer,
        positions_per_batch: placed.perBatch,
      });
      this.#engine.expectOk(this.#engine.kernels.rotate(call), 'rotate');
      return result.deliver();
    });
  }

  table(positions: Positions, options?: TableOptions): { cos: Float32Array; sin: Float32Array } {
    const checked = checkOptions(options, ['tokens', 'axes', 'side'], 'table');
    const { domain } = this.#block;
    const axes = countAxes(checked.axes, domain);
    const tokens = countTokens(positions, checked.tokens, 'positions', 'tokens', axes);
    const side = sides.indexOf(choice(checked.side, 'side', sides));
    return this.#run('rotate', (frame, encoding) => {
      const { kernels } = this.#engine;
      const shape = [tokens, kernels.rotationWidth(encoding)];
      const cos = frame.fresh('cos', shape, tableNames);
      const sin = frame.fresh('sin', shape, tableNames);
      const extent = { batch: 1, tokens, axes, domain };
      const { pointer } = placePositions(frame, positions, extent, 'positions');
      const status = kernels.rotationTable(
        encoding,
        side,
        pointer,
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
    const { queryPositions, keyPositions, ...given } = checkOptions(options, biasKeys, 'bias');
    const { domain } = this.#block;
    const axes = countAxes(given.axes, domain);
    const queries = countTokens(queryPositions, given.queries, 'queryPositions', 'queries', axes);
    const keys = countTokens(keyPositions, given.keys, 'keyPositions', 'keys', axes, queries);
    return this.#run('bias', (frame, encoding) => {
      const { kernels } = this.#engine;
      const shape = [kernels.biasHeads(encoding), queries, keys];
      const result = frame.fresh('the bias', shape, ['heads', 'queries', 'keys']);
      const { query, key } = placeSides(frame, {
        batch: 1,
        queries,
        keys,
        axes,
        domain,
        queryPositions,
        keyPositions,
      });
      const status = kernels.bias(
        encoding,
        query.pointer,
        queries,
        key.pointer,
        keys,
        axes,
        result.pointer,
      );
      this.#engine.expectOk(status, 'bias');
      return result.deliver();
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
