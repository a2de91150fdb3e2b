import { PosencError } from '../error.js';
import type { Context } from './context.js';
import { aliases, familyOf, genericFamily } from './families.js';
import { Fields } from './fields.js';
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

/** Finds the language model inside a config and the family that reads it. */
export function identify(config: unknown): Context & { readonly recognised: boolean } {
  const notes = new Notes();
  const fields = unwrap(Fields.of(config), notes);
  const modelType = fields.name('model_type') ?? fromArchitecture(fields, notes);
  const family = modelType === null ? undefined : familyOf(modelType);
  if (family !== undefined) return { fields, family, modelType, notes, recognised: true };
  const context = { fields, family: genericFamily(modelType), modelType, notes };
  const recognised = rotary.some((name) => fields.has(name));
  if (modelType === null) refuseForeign(fields, recognised);
  const names = [fields.at('model_type')];
  notes.add(recognised ? 'unknown-model-type' : 'unknown-encoding', names, { type: modelType });
  return { ...context, recognised };
}

/** Steps into wrapper configs, and tells which outer settings are passed by. */
function unwrap(outer: Fields, notes: Notes): Fields {
  let fields = outer;
  for (let depth = 0; depth < 3; depth++) {
    const here = fields;
    const name = wrappers.find((each) => here.child(each) !== null);
    const inner = name === undefined ? null : here.child(name);
    if (inner === null || inner.keys().length === 0) return here;
    notes.add('read-through', [inner.path], { path: inner.path });
    const ignored = unreadPositional(here).filter((each) => here.value(each) !== inner.peek(each));
    if (ignored.length > 0) {
      const paths = ignored.map((each) => here.at(each));
      notes.add('outer-fields-ignored', paths, { names: list(ignored), path: inner.path });
    }
    fields = inner;
  }
  return fields;
}

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
