import {
  callKeys,
  outputNames,
  placeCall,
  queryNames,
  keyNames,
  statisticNames,
  valueNames,
} from '../attention.js';
import { checkOptions, choices, wrong } from '../check.js';
import type { Engine } from '../engine.js';
import { Frame } from '../frame.js';
import type { AttentionCall, GradientCall } from '../kernels.js';
import type { FullShape } from '../shape.js';
import type { PlacedTerm } from '../terms.js';
import { placeGradients } from '../trained.js';
import type { Data } from '../types.js';
import type {
  AttentionBackwardInputs,
  AttentionGradients,
  GradientName,
  GradientPlaces,
} from './gradients.js';

const inputKeys = [...callKeys, 'gradient', 'output', 'statistics', 'return', 'out'];
const usual = ['query', 'key', 'value', 'encodings'] as const;
const names = [...usual, 'mask', 'sinkLogits', 'headScales', 'queryScales', 'scale'] as const;
const placeNames = names.filter((name) => name !== 'scale');

/** What a gradient by an option of the call needs. */
const needs: { readonly [Name in GradientName]?: string } = {
  mask: 'numbers that are added',
  sinkLogits: 'a Float32Array or a tensor',
  headScales: 'a Float32Array or a tensor',
  queryScales: 'a Float32Array or a tensor',
};

const needed = (name: GradientName): string => `${needs[name]}, since return names its gradient`;

/** A gradient that is one array: the field of the call, and what shape it has. */
interface Place {
  readonly field: Exclude<keyof GradientCall, 'd_output' | 'encodings' | 'score_scale'>;
  readonly dimensions: readonly number[];
  readonly names: readonly string[];
}

/** Gradients of attention; see `Posenc.attentionBackward` in `types.ts`. */
export function attentionBackward<Wanted extends GradientName, Output extends Data>(
  engine: Engine,
  inputs: AttentionBackwardInputs<Wanted, Output>,
): Pick<AttentionGradients<Output>, Wanted> {
  const given = checkOptions(
    inputs,
    inputKeys,
    'attentionBackward',
    'inputs',
  ) as AttentionBackwardInputs<Wanted, Output>;
  const wanted = checkWanted(given);
  const out = checkPlaces(given.out, wanted);
  const frame = new Frame(engine.memory);
  try {
    const { call, shape, terms } = placeCall(frame, engine, given);
    const { batch, heads, queries, valueDim } = shape;
    const d_output = frame.input(
      given.gradient,
      'gradient',
      [batch, heads, queries, valueDim],
      outputNames,
    );
    placeForward(frame, engine, call, shape, given);

    const gradients: GradientCall = { ...nowhere, d_output };
    const deliveries = wanted.map((name): [GradientName, () => unknown] => {
      if (name === 'scale') {
        const pointer = frame.doubles([0], 'scale');
        gradients.score_scale = pointer;
        return [name, () => engine.kernels.HEAPF64[pointer >>> 3]];
      }
      if (name === 'encodings') {
        const placed = placeEncodings(frame, engine, terms, out.encodings);
        gradients.encodings = placed.pointer;
        return [name, placed.deliver];
      }
      const place = placeOf(name, call, shape, given);
      const result = frame.output(out[name], `out.${name}`, place.dimensions, place.names);
      // The module adds to what is there.
      engine.memory.clear(
        result.pointer,
        place.dimensions.reduce((count, dimension) => count * dimension, 1),
      );
      gradients[place.field] = result.pointer;
      return [name, result.deliver];
    });
    const status = engine.kernels.attentionBackward(
      frame.call(engine.attentionOrder, call),
      frame.call(engine.gradientOrder, gradients),
    );
    engine.expectOk(status, 'attentionBackward');
    const entries = deliveries.map(([name, deliver]) => [name, deliver()]);
    return Object.fromEntries(entries) as Pick<AttentionGradients<Output>, Wanted>;
  } finally {
    frame.release();
  }
}

/** The gradients to return; throws where there is nothing that one could be by. */
function checkWanted(given: AttentionBackwardInputs): GradientName[] {
  const wanted = given.return === undefined ? [...usual] : choices(given.return, 'return', names);
  for (const name of wanted) {
    if (!(name in needs) || given[name as keyof AttentionBackwardInputs] !== undefined) continue;
    throw wrong('argument', name, undefined, needed(name));
  }
  return wanted;
}

/** The places for gradients: of those that are wanted, each another one. */
function checkPlaces<Output extends Data>(
  out: GradientPlaces<Output> | undefined,
  wanted: readonly GradientName[],
): Partial<GradientPlaces<Output>> {
  const places = checkOptions(out, placeNames, 'attentionBackward', 'out');
  const seen = new Map<unknown, string>();
  const take = (place: unknown, path: string): void => {
    const first = seen.get(place);
    if (first !== undefined) throw wrong('argument', path, place, `another one than ${first}`);
    seen.set(place, path);
  };
  for (const [name, place] of Object.entries(places)) {
    if (place === undefined) continue;
    if (!wanted.includes(name as GradientName)) {
      throw wrong('argument', `out.${name}`, place, `return to name ${JSON.stringify(name)}`);
    }
    if (name !== 'encodings') take(place, `out.${name}`);
  }
  for (const [encoding, options] of Object.entries(places.encodings ?? {})) {
    for (const [option, place] of Object.entries(options ?? {})) {
      if (place !== undefined) take(place, `out.encodings.${encoding}.${option}`);
    }
  }
  return places;
}

/** Puts what the way back needs of attention into the call: as given, else by computing it once more. */
function placeForward(
  frame: Frame,
  engine: Engine,
  call: AttentionCall,
  { batch, heads, queries, valueDim }: FullShape,
  { output, statistics }: AttentionBackwardInputs,
): void {
  const rows = [batch, heads, queries];
  if (output === undefined && statistics === undefined) {
    call.output = frame.fresh('output', [...rows, valueDim], outputNames).pointer;
    call.statistics = frame.fresh('statistics', [...rows, 3], statisticNames).pointer;
    const block = frame.call(engine.attentionOrder, call);
    engine.expectOk(engine.kernels.attention(block), 'attentionBackward');
    return;
  }
  const both = 'what attention returned, since output and statistics go together';
  if (output === undefined) throw wrong('argument', 'output', output, both);
  if (statistics === undefined) throw wrong('argument', 'statistics', statistics, both);
  call.output = frame.input(output, 'output', [...rows, valueDim], outputNames);
  call.statistics = frame.input(statistics, 'statistics', [...rows, 3], statisticNames);
}

/** Makes room for the gradients of every encoding. */
function placeEncodings<Output extends Data>(
  frame: Frame,
  engine: Engine,
  terms: readonly PlacedTerm[],
  out: GradientPlaces<Output>['encodings'],
) {
  const owners = terms.map(({ encoding }) => encoding.name);
  const places = checkOptions(out, owners, 'the encodings of this call', 'out.encodings');
  const placed = terms.map(({ encoding: { name }, block }) => {
    const own = places[name] as Readonly<Record<string, Output>> | undefined;
    return placeGradients(frame, engine, block, own, `out.encodings.${name}.`);
  });
  const pointer = frame.bytes(4 * placed.length, 'the addresses of gradients');
  const addresses = placed.map((one) => one.pointer);
  engine.kernels.HEAP32.set(addresses, pointer >>> 2);
  const deliver = (): unknown =>
    Object.fromEntries(placed.map((one, i) => [owners[i], one.deliver()]));
  return { pointer, deliver };
}

/** Where one gradient belongs. */
function placeOf(
  name: Exclude<GradientName, 'scale' | 'encodings'>,
  call: AttentionCall,
  { batch, heads, kvHeads, queries, keys, headDim, valueDim }: FullShape,
  given: AttentionBackwardInputs,
): Place {
  switch (name) {
    case 'query':
      return { field: name, dimensions: [batch, heads, queries, headDim], names: queryNames };
    case 'key':
      return { field: name, dimensions: [batch, kvHeads, keys, headDim], names: keyNames };
    case 'value':
      return { field: name, dimensions: [batch, kvHeads, keys, valueDim], names: valueNames };
    case 'sinkLogits':
      return { field: 'sink_logits', dimensions: [heads], names: ['heads'] };
    case 'headScales':
      return { field: 'head_scales', dimensions: [heads], names: ['heads'] };
    case 'queryScales': {
      const each = call.query_scales_per_batch === 1;
      return {
        field: 'query_scales',
        dimensions: each ? [batch, queries] : [queries],
        names: each ? ['batch', 'queries'] : ['queries'],
      };
    }
    case 'mask': {
      if (call.added === 0) throw wrong('argument', name, given.mask, needed(name));
      const shared = [call.mask_batch, call.mask_head, call.mask_query, call.mask_key];
      const full = [batch, heads, queries, keys];
      return {
        field: 'added',
        dimensions: full.map((dimension, i) => (shared[i] === 0 ? 1 : dimension)),
        names: ['batch', 'heads', 'queries', 'keys'],
      };
    }
  }
}

const nowhere: GradientCall = {
  d_output: 0,
  query: 0,
  key: 0,
  value: 0,
  encodings: 0,
  added: 0,
  sink_logits: 0,
  head_scales: 0,
  query_scales: 0,
  score_scale: 0,
};
