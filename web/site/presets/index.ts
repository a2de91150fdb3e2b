import bloom from './bloom.json' with { type: 'json' };
import debertaV3 from './deberta-v3-base.json' with { type: 'json' };
import deepseekV3 from './deepseek-v3.json' with { type: 'json' };
import gemma3 from './gemma-3-4b.json' with { type: 'json' };
import glm45 from './glm-4.5.json' with { type: 'json' };
import gptOss from './gpt-oss-20b.json' with { type: 'json' };
import llama31 from './llama-3.1-8b.json' with { type: 'json' };
import llama4 from './llama-4-scout.json' with { type: 'json' };
import minimind from './minimind.json' with { type: 'json' };
import modernbert from './modernbert-base.json' with { type: 'json' };
import olmo3 from './olmo-3-7b.json' with { type: 'json' };
import phi3 from './phi-3-mini-128k.json' with { type: 'json' };
import qwen25 from './qwen2.5-7b-yarn.json' with { type: 'json' };
import qwen2Vl from './qwen2-vl-7b.json' with { type: 'json' };
import qwen3 from './qwen3-8b.json' with { type: 'json' };
import smollm3 from './smollm3-3b.json' with { type: 'json' };
import t5 from './t5-base.json' with { type: 'json' };
import whisper from './whisper-small.json' with { type: 'json' };

/** A model's config.json as its authors published it: the fields of position and shape. */
export interface Preset {
  readonly id: string;
  readonly title: string;
  /** Page of the model, or of the code that writes its config. */
  readonly source: string;
  /** Tokens to ask for; absent = the trained length. */
  readonly length?: number;
  readonly config: object;
}

/** Well-known models, each for something that only its config shows. */
export const presets: readonly Preset[] = [
  {
    id: 'llama-3.1-8b',
    title: 'Llama 3.1 8B',
    source: 'https://huggingface.co/meta-llama/Llama-3.1-8B',
    length: 131072,
    config: llama31,
  },
  {
    id: 'qwen2.5-7b-yarn',
    title: 'Qwen2.5-7B + YaRN ×4',
    source: 'https://huggingface.co/Qwen/Qwen2.5-7B-Instruct',
    length: 131072,
    config: qwen25,
  },
  {
    id: 'qwen3-8b',
    title: 'Qwen3-8B',
    source: 'https://huggingface.co/Qwen/Qwen3-8B',
    config: qwen3,
  },
  {
    id: 'gemma-3-4b',
    title: 'Gemma 3 4B',
    source: 'https://huggingface.co/google/gemma-3-4b-it',
    config: gemma3,
  },
  {
    id: 'glm-4.5',
    title: 'GLM-4.5',
    source: 'https://huggingface.co/zai-org/GLM-4.5',
    config: glm45,
  },
  {
    id: 'deepseek-v3',
    title: 'DeepSeek-V3',
    source: 'https://huggingface.co/deepseek-ai/DeepSeek-V3',
    length: 163840,
    config: deepseekV3,
  },
  {
    id: 'gpt-oss-20b',
    title: 'gpt-oss-20b',
    source: 'https://huggingface.co/openai/gpt-oss-20b',
    length: 131072,
    config: gptOss,
  },
  {
    id: 'phi-3-mini-128k',
    title: 'Phi-3-mini-128k',
    source: 'https://huggingface.co/microsoft/Phi-3-mini-128k-instruct',
    length: 131072,
    config: phi3,
  },
  {
    id: 'bloom',
    title: 'BLOOM',
    source: 'https://huggingface.co/bigscience/bloom',
    length: 8192,
    config: bloom,
  },
  {
    id: 't5-base',
    title: 'T5 base',
    source: 'https://huggingface.co/google-t5/t5-base',
    length: 2048,
    config: t5,
  },
  {
    id: 'minimind',
    title: 'MiniMind',
    source: 'https://github.com/jingyaogong/minimind',
    config: minimind,
  },
  {
    id: 'llama-4-scout',
    title: 'Llama 4 Scout',
    source: 'https://huggingface.co/meta-llama/Llama-4-Scout-17B-16E-Instruct',
    length: 1048576,
    config: llama4,
  },
  {
    id: 'qwen2-vl-7b',
    title: 'Qwen2-VL-7B',
    source: 'https://huggingface.co/Qwen/Qwen2-VL-7B-Instruct',
    config: qwen2Vl,
  },
  {
    id: 'smollm3-3b',
    title: 'SmolLM3-3B',
    source: 'https://huggingface.co/HuggingFaceTB/SmolLM3-3B',
    length: 131072,
    config: smollm3,
  },
  {
    id: 'olmo-3-7b',
    title: 'OLMo 3 7B',
    source: 'https://huggingface.co/allenai/Olmo-3-1025-7B',
    length: 65536,
    config: olmo3,
  },
  {
    id: 'modernbert-base',
    title: 'ModernBERT base',
    source: 'https://huggingface.co/answerdotai/ModernBERT-base',
    config: modernbert,
  },
  {
    id: 'deberta-v3-base',
    title: 'DeBERTa-v3 base',
    source: 'https://huggingface.co/microsoft/deberta-v3-base',
    length: 2048,
    config: debertaV3,
  },
  {
    id: 'whisper-small',
    title: 'Whisper small',
    source: 'https://huggingface.co/openai/whisper-small',
    length: 1500,
    config: whisper,
  },
];
