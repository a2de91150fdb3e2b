import { assume } from './context.js';
import type { Context } from './context.js';
import { unknownGroup } from './group.js';
import type { Model } from './group.js';
import { limits } from './limits.js';
import type { Range } from './limits.js';
import type { LayerGroup, PatchWindow } from './plan.js';
import type { Shape } from './shape.js';

/** Swin's stages; each halves the image's sides and doubles the width. */
interface Stages {
  readonly depths: readonly number[];
  readonly heads: readonly number[];
  readonly width: number;
}

/** Layers and heads stand in lists, one entry a stage. */
export function readSwinShape(context: Context): Shape {
  const { depths, heads, width } = readStages(context);
  return {
    layers: depths.reduce((sum, depth) => sum + depth, 0),
    layerTypes: null,
    hiddenSize: width * 2 ** (depths.length - 1),
    heads: null,
    kvHeads: null,
    headDim: width / (heads[0] as number),
    latent: null,
    claimedLength: null,
    trainedLength: null,
  };
}

/** Swin: a bias per offset and head inside a window of patches. v2: a network of the offset makes them. */
export function swinGroups(context: Context, { shape, ordinary }: Model): LayerGroup[] {
  const { fields, family, notes } = context;
  const { depths, heads, width } = readStages(context);
  const second = family.type === 'swinv2';
  const read = (name: string, initial: number): number =>
    fields.integer(name, limits.length) ?? assume(context, name, initial);
  const window = read('window_size', 7);
  const side = Math.floor(read('image_size', 224) / read('patch_size', 4));
  const pretrained = second
    ? integers(
        context,
        'pretrained_window_sizes',
        depths.map(() => 0),
      )
    : [];
  notes.add(second ? 'swin-network' : 'swin-table', [fields.at('window_size')], { window });
  if (fields.flag('use_absolute_embeddings') === true) {
    notes.add('absolute-too', [fields.at('use_absolute_embeddings')], {});
  }
  let first = 0;
  return depths.map((depth, stage) => {
    const layers = Array.from({ length: depth }, (_, i) => first + i);
    first += depth;
    const patches = Math.max(Math.floor(side / 2 ** stage), 1);
    const trained = pretrained[stage] ?? 0;
    const whole = patches <= window;
    // Swin v2 compares directions and has a learned scale.
    const scale = second ? null : Math.sqrt((heads[stage] as number) / (width * 2 ** stage));
    const patchWindow: PatchWindow = {
      side: whole ? patches : window,
      offsets: (2 * (whole && second ? patches : window) - 1) ** 2,
      shift: whole ? 0 : Math.floor(window / 2),
      heads: heads[stage] as number,
      biases: second ? 'network' : 'table',
      pretrainedSide: trained > 0 ? trained : null,
    };
    const kind = { layers, layerType: null, rotates: false, window: null, chunk: null };
    return {
      ...unknownGroup({ ...kind, layerType: `stage${stage + 1}` }, shape),
      encoding: 'swin',
      computed: ordinary,
      patchWindow,
      softmaxScale: scale,
      factors: scale === null ? [] : [{ on: 'softmax', value: scale, from: 'head-size' }],
    };
  });
}

function readStages(context: Context): Stages {
  const { fields } = context;
  const depths = integers(context, 'depths', [2, 2, 6, 2], limits.layers);
  const heads = integers(context, 'num_heads', [3, 6, 12, 24], limits.heads);
  if (heads.length !== depths.length) {
    throw fields.wrong('num_heads', heads, `one entry for each of the ${depths.length} stages`);
  }
  const width = fields.integer('embed_dim', limits.hiddenSize) ?? assume(context, 'embed_dim', 96);
  if (width % (heads[0] as number) === 0) return { depths, heads, width };
  throw fields.wrong('embed_dim', width, `a multiple of num_heads[0] (${heads[0]})`);
}

/** A list of integers, one a stage; at most 16 stages. */
function integers(
  { fields, family, notes }: Context,
  name: string,
  initial: readonly number[],
  { low, high }: Range = { low: 0, high: 4096 },
): readonly number[] {
  const given = fields.list(name, 16);
  if (given === null) {
    const details = { name: fields.at(name), value: `[${initial.join(', ')}]` };
    notes.add('default-assumed', [details.name], { ...details, type: String(family.type) });
  }
  const list = given ?? initial;
  const wrong = list.findIndex(
    (entry) => !Number.isInteger(entry) || (entry as number) < low || (entry as number) > high,
  );
  if (wrong >= 0)
    throw fields.wrong(`${name}[${wrong}]`, list[wrong], `an integer from ${low} to ${high}`);
  if (list.length === 0) throw fields.wrong(name, list, 'an entry for each stage');
  return list as readonly number[];
}
