import { PosencError, show } from '../error.js';
import { unknownName } from '../check.js';
import { inspect } from '../inspect.js';
import { Fields } from '../inspect/fields.js';
import { identify } from '../inspect/identify.js';
import { limits } from '../inspect/limits.js';
import type { Note } from '../inspect/plan.js';
import { matchTensors } from './match.js';
import type { PlannedTensor } from './match.js';
import { modelFamilyOf, modelTypes } from './families/index.js';
import { only } from './families/read.js';
import type { ModelSpec } from './spec.js';
import type { WeightInfo } from './weights/types.js';

/** How a checkpoint becomes a model of the engine. */
export interface ModelPlan {
  /** As in the config. */
  readonly modelType: string;
  readonly spec: ModelSpec;
  /** What the engine needs, and where it comes from. */
  readonly tensors: readonly PlannedTensor[];
  /** Longest sequence before any stretching; `null` = the config does not tell. */
  readonly trainedLength: number | null;
  /** First token of a text, and those that end one, as the config says. */
  readonly special: {
    readonly bos: number | null;
    readonly eos: readonly number[];
    /** First id of a decoder behind an encoder. */
    readonly decoderStart: number;
  };
  /** What `inspect` found doubtful. */
  readonly warnings: readonly Note[];
}

/** Settings that change what a model is, wherever they stand; families refuse their own. */
const refused = {
  quantization_config: [],
  kv_lora_rank: [],
};

/** Experts instead of one MLP; MiniMind has the fields without using them. */
const experts = {
  num_local_experts: [0, 1],
  num_experts: [0, 1],
  n_routed_experts: [0],
  moe_num_experts: [0, 1],
};

/**
 * Reads a config.json and the names and shapes of a checkpoint: what model this is, and which tensors of
 * the checkpoint, cut how, are those of the engine. Reads no numbers.
 *
 * @throws PosencError `unsupported` for a family or a setting that models here do not run (names it),
 *   `config` where the config is broken, or the checkpoint lacks tensors or has others: all in one error
 */
export function planModel(config: unknown, tensors: ReadonlyMap<string, WeightInfo>): ModelPlan {
  const { family, fields, modelType, plan } = recognise(config);
  const { match, shapeOf } = matchTensors(family, tensors);
  const { spec, rules, unused = [] } = family.read({ fields, modelType, plan, shapeOf });
  return {
    modelType,
    spec,
    tensors: match(rules, unused),
    trainedLength: plan.trainedLength,
    special: readSpecial(fields),
    warnings: plan.warnings,
  };
}

/** Finds the family of a config, and reads what it says of positions. */
export function recognise(config: unknown) {
  only(Fields.of(config), refused);
  const plan = inspect(config);
  const { fields, modelType } = identify(config);
  const family = modelType === null ? undefined : modelFamilyOf(modelType);
  if (modelType === null || family === undefined) throw unknownFamily(fields, modelType);
  only(fields, refused);
  if (modelType !== 'minimind') only(fields, experts);
  return { family, fields, modelType, plan };
}

function unknownFamily(fields: Fields, modelType: string | null): PosencError {
  const { message } = unknownName('model_type', modelType ?? undefined, modelTypes);
  return new PosencError('unsupported', message, {
    argument: fields.at('model_type'),
    received: show(modelType),
    allowed: modelTypes.join(', '),
  });
}

function readSpecial(fields: Fields): ModelPlan['special'] {
  const range = { low: 0, high: limits.hiddenSize.high };
  const isId = (value: unknown): value is number =>
    Number.isInteger(value) && (value as number) >= 0;
  const eos = fields.value('eos_token_id');
  const list = Array.isArray(eos) ? eos.slice(0, 100) : [eos];
  return {
    bos: fields.value('bos_token_id') === -1 ? null : fields.integer('bos_token_id', range),
    eos: list.filter(isId),
    decoderStart: fields.integer('decoder_start_token_id', range) ?? 0,
  };
}
