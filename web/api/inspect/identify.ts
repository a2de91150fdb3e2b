import { PosencError } from '../error.js';
import type { Context } from './context.js';
import { chooseFamily } from './choose.js';
import { familyOf, genericFamily } from './families/index.js';
import { aliases } from './family.js';
import type { Family } from './family.js';
import { Fields } from './fields.js';
import { readGguf } from './gguf.js';
import { Notes } from './notes.js';
import { list, unreadPositional } from './unread.js';

/** Where multimodal configs keep their language model. */
const wrappers = ['text_config', 'language_config', 'llm_config', 'thinker_config'];

/** First word of a class name in `architectures`, where `model_type` is missing. */
const architectures: readonly (readonly [RegExp, string])[] = [
  [/^Llama(For|Model)/, 'llama'],
  [/^Mistral(For|Model)/, 'mistral'],
  [/^Mixtral(For|Model)/, 'mixtral'],
  [/^QWen(LMHead|Model)/, 'qwen'],
  [/^Qwen2(For|Model)/, 'qwen2'],
  [/^Qwen2Moe(For|Model)/, 'qwen2_moe'],
  [/^Qwen3(For|Model)/, 'qwen3'],
  [/^Qwen3Moe(For|Model)/, 'qwen3_moe'],
  [/^GPTNeoX(For|Model)/, 'gpt_neox'],
  [/^Bloom(For|Model)/, 'bloom'],
  [/^GPT2(LMHead|Model|For|DoubleHeads)/, 'gpt2'],
  [/^Gemma2(For|Model)/, 'gemma2'],
  [/^Gemma3For(CausalLM|ConditionalGeneration)/, 'gemma3'],
  [/^DeepseekV3(For|Model)/, 'deepseek_v3'],
  [/^GptOss(For|Model)/, 'gpt_oss'],
  [/^Phi3(For|Model)/, 'phi3'],
  [/^MPT(For|Model)/i, 'mpt'],
  [/^Falcon(For|Model)|^RWForCausalLM/, 'falcon'],
  [/^T5(For|Model)/, 't5'],
  [/^Bert(For|Model)/, 'bert'],
  [/^Roberta(For|Model)/, 'roberta'],
  [/^OPT(For|Model)/, 'opt'],
  [/^Albert(For|Model)/, 'albert'],
  [/^Bart(For|Model)/, 'bart'],
  [/^DebertaV2(For|Model)/, 'deberta-v2'],
  [/^DistilBert(For|Model)/, 'distilbert'],
  [/^Electra(For|Model)/, 'electra'],
  [/^Jamba(For|Model)/, 'jamba'],
  [/^MBart(For|Model)/, 'mbart'],
  [/^MPNet(For|Model)/, 'mpnet'],
  [/^Mamba(For|Model)/, 'mamba'],
  [/^Marian(MT|Model)/, 'marian'],
  [/^Pegasus(For|Model)/, 'pegasus'],
  [/^Rwkv(For|Model)/, 'rwkv'],
  [/^ViT(For|Model)/, 'vit'],
  [/^Wav2Vec2(For|Model)/, 'wav2vec2'],
  [/^Whisper(For|Model)/, 'whisper'],
  [/^XLMRoberta(For|Model)/, 'xlm-roberta'],
  [/^XLNet(LMHead|For|Model)/, 'xlnet'],
];

/** Fields that only rotary models have. */
const rotary = [
  'partial_rotary_factor',
  'rope_base',
  'rope_parameters',
  'rope_pct',
  'rope_scaling',
  'rope_theta',
  'rotary_base',
  'rotary_dim',
  'rotary_emb_base',
  'rotary_pct',
];

/** What was found in a config, and what it can be read as. */
export interface Identified extends Context {
  /** Whether the encoding can be told at all. */
  readonly recognised: boolean;
  /** Divisors of the frequencies stand outside the config, in a tensor of the file. */
  readonly divided: boolean;
}

/** Finds the language model inside a config and the family that reads it. */
export function identify(config: unknown): Identified {
  const notes = new Notes();
  const given = Fields.of(config);
  const { fields: inner, outerType, outer } = unwrap(given, notes);
  const gguf = inner === given ? readGguf(given, notes) : null;
  const fields = gguf?.fields ?? inner;
  const modelType = fields.name('model_type') ?? outerType ?? fromArchitecture(fields, notes);
  const divided = gguf?.divided ?? false;
  const found =
    modelType === null ? undefined : (familyOf(modelType) ?? familyOfPart(modelType, outer));
  const layout = gguf?.layout ?? null;
  if (found !== undefined) {
    const own = layout === null ? found : { ...found, layout, originalInterleaved: false };
    const context = { fields, family: own, modelType, notes };
    return { ...context, family: chooseFamily(context), recognised: true, divided };
  }
  const recognised = rotary.some((name) => fields.has(name));
  if (modelType === null) refuseForeign(fields, recognised);
  const names = [fields.at('model_type')];
  notes.add(recognised ? 'unknown-model-type' : 'unknown-encoding', names, { type: modelType });
  return { fields, family: genericFamily(modelType), modelType, notes, recognised, divided };
}

/**
 * Steps into wrapper configs, and tells which outer settings are passed by. The outer type stands in for
 * an inner one that is missing.
 */
function unwrap(
  whole: Fields,
  notes: Notes,
): { fields: Fields; outerType: string | null; outer: string | null } {
  let fields = whole;
  let outerType: string | null = null;
  for (let depth = 0; depth < 3; depth++) {
    const here = fields;
    const name = wrappers.find((each) => here.child(each) !== null);
    const inner = name === undefined ? null : here.child(name);
    if (inner === null || inner.keys().length === 0) break;
    outerType = here.name('model_type') ?? outerType;
    notes.add('read-through', [inner.path], { path: inner.path });
    const ignored = unreadPositional(here).filter((each) => here.value(each) !== inner.peek(each));
    if (ignored.length > 0) {
      const paths = ignored.map((each) => here.at(each));
      notes.add('outer-fields-ignored', paths, { names: list(ignored), path: inner.path });
    }
    fields = inner;
  }
  const type = fields.has('model_type') ? null : outerType;
  if (type !== null) notes.add('model-type-of-wrapper', [fields.at('model_type')], { type });
  return { fields, outerType: type, outer: outerType };
}

/** The family of a wrapper for its own part: `mllama_text_model` inside `mllama`. */
const familyOfPart = (type: string, outer: string | null): Family | undefined =>
  outer !== null && type.startsWith(`${outer}_`) ? familyOf(outer) : undefined;

function fromArchitecture(fields: Fields, notes: Notes): string | null {
  const [architecture] = fields.list('architectures', 100) ?? [];
  if (typeof architecture !== 'string') return null;
  const found = architectures.find(([pattern]) => pattern.test(architecture));
  if (found === undefined) return null;
  const type = found[1];
  const name = architecture.replace(/\W/g, '').slice(0, 60);
  notes.add('model-type-from-architecture', [fields.at('architectures')], {
    architecture: name,
    type,
  });
  return type;
}

/** Other JSON files that lie beside a config.json. */
function refuseForeign(fields: Fields, recognised: boolean): void {
  const original = fields.has('dim') && fields.has('n_layers') && fields.has('n_heads');
  const sized = Object.values(aliases)
    .flat()
    .some((name) => fields.has(name));
  if (!original && (recognised || sized)) return;
  const received = original
    ? "a params.json of the authors' own weights"
    : 'an object without model_type, sizes or rotary fields';
  const allowed = 'the config.json of a Hugging Face model';
  throw new PosencError('config', `config is ${received}, needs ${allowed}`, {
    argument: 'config',
    received,
    allowed,
  });
}
