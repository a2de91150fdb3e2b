/** Headers of GGUF files: what `inspect` makes of their metadata, and how the command line reads them. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { inspect } from 'posenc';
import type { Plan } from 'posenc';
import { ggufFile } from './gguf-file.js';

const codes = (plan: Plan): string[] =>
  [...plan.warnings, ...plan.assumptions].map(({ code }) => code);

const qwen2 = {
  'general.architecture': 'qwen2',
  'general.name': 'Qwen2.5 7B',
  'qwen2.block_count': 28,
  'qwen2.context_length': 131072,
  'qwen2.embedding_length': 3584,
  'qwen2.attention.head_count': 28,
  'qwen2.attention.head_count_kv': 4,
  'qwen2.rope.freq_base': 1000000,
  'qwen2.rope.scaling.type': 'yarn',
  'qwen2.rope.scaling.factor': 4,
  'qwen2.rope.scaling.original_context_length': 32768,
};

const deepseek = {
  'general.architecture': 'deepseek2',
  'deepseek2.block_count': 61n,
  'deepseek2.context_length': 163840,
  'deepseek2.embedding_length': 7168,
  'deepseek2.attention.head_count': 128,
  'deepseek2.attention.head_count_kv': 1,
  'deepseek2.attention.kv_lora_rank': 512,
  'deepseek2.attention.key_length': 576,
  'deepseek2.attention.key_length_mla': 192,
  'deepseek2.rope.dimension_count': 64,
  'deepseek2.rope.freq_base': 10000,
  'deepseek2.rope.scaling.type': 'yarn',
  'deepseek2.rope.scaling.factor': 40,
  'deepseek2.rope.scaling.original_context_length': 4096,
  'deepseek2.rope.scaling.yarn_log_multiplier': 0.0707,
};

describe('metadata of a GGUF header', () => {
  it('gives the plan of the config.json it was made from', () => {
    const config = inspect({
      model_type: 'qwen2',
      hidden_size: 3584,
      num_hidden_layers: 28,
      num_attention_heads: 28,
      num_key_value_heads: 4,
      max_position_embeddings: 131072,
      rope_theta: 1e6,
      rope_scaling: { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 32768 },
    });
    const plan = inspect(qwen2);
    expect(plan.layerGroups).toEqual(config.layerGroups);
    expect(codes(plan)).toContain('gguf');
    // As a library returns it, with 64-bit numbers.
    expect(inspect({ metadata: qwen2, tensorInfos: [] }).layerGroups).toEqual(plan.layerGroups);
  });

  it('DeepSeek-V2-Lite: the part that turns, and the factor on the softmax', () => {
    const [group] = inspect(deepseek).layerGroups;
    expect(group).toMatchObject({ rotaryStart: 128, rotaryDim: 64, attentionFactor: 1 });
    expect(group!.softmaxScale! * Math.sqrt(192)).toBeCloseTo(1.5896, 4);
  });

  it('Llama files pair neighbours, as the converter permutes them', () => {
    const sizes = { 'llama.block_count': 32, 'llama.embedding_length': 4096 };
    const llama = { 'general.architecture': 'llama', 'llama.rope.freq_base': 10000, ...sizes };
    expect(inspect(llama).layerGroups[0]).toMatchObject({ layout: 'interleaved', computed: true });
  });

  it('Llama 3.1: the divisors stand in a tensor, so no frequencies are given', () => {
    const llama = {
      'general.architecture': 'llama',
      'llama.context_length': 131072,
      'llama.rope.freq_base': 500000,
    };
    for (const given of [
      llama,
      { metadata: llama, tensorInfos: [{ name: 'rope_freqs.weight' }] },
    ]) {
      const plan = inspect(given);
      expect(plan.layerGroups[0]).toMatchObject({ computed: false, inverseFrequencies: [] });
      expect(codes(plan)).toContain('gguf-divisors');
    }
    const plain = inspect({ metadata: llama, tensorInfos: [{ name: 'token_embd.weight' }] });
    expect(plain.layerGroups[0]!.computed).toBe(true);
  });

  it('Qwen2-VL has four sections, of which three count; Gemma 3 its own base for windows', () => {
    const vision = {
      ...{ 'general.architecture': 'qwen2vl', 'qwen2vl.attention.key_length': 128 },
      'qwen2vl.rope.dimension_sections': [16, 24, 24, 0],
    };
    expect(inspect(vision).layerGroups[0]!.sections!.sizes).toEqual([16, 24, 24]);
    const gemma = {
      ...{ 'general.architecture': 'gemma3', 'gemma3.block_count': 6 },
      ...{ 'gemma3.rope.freq_base': 1e6, 'gemma3.rope.freq_base_swa': 20000 },
    };
    expect(inspect(gemma).layerGroups.map(({ base }) => base)).toEqual([20000, 1e6]);
  });

  it('names the keys of the file in errors', () => {
    const broken = { ...qwen2, 'qwen2.rope.scaling.factor': 0.25 };
    expect(() => inspect(broken)).toThrow(/^qwen2\.rope\.scaling\.factor is 0\.25, .* mean 4\?/);
    const strange = { ...qwen2, 'qwen2.block_count': 'many' };
    expect(() => inspect(strange)).toThrow(/^qwen2\.block_count is "many"/);
  });

  it('an architecture that is not known is told', () => {
    const plan = inspect({ 'general.architecture': 'mystery', 'mystery.rope.freq_base': 10000 });
    expect(codes(plan)).toContain('unknown-model-type');
  });

  it('counts the heads of layers that have some, where the number differs by layer', () => {
    const counts = { ...qwen2, 'qwen2.attention.head_count_kv': [0, 4, 0, 4] };
    expect(inspect(counts).kvHeads).toBe(4);
  });
});

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'posenc-gguf-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (cli: string, ...args: string[]) => {
  const env = { ...process.env, LC_ALL: 'C' };
  return spawnSync(process.execPath, [cli, 'inspect', ...args], { encoding: 'utf8', env });
};

describe('posenc inspect model.gguf', () => {
  const file = join(folder, 'model.gguf');
  writeFileSync(file, ggufFile(qwen2));

  it('prints the plan of the header', () => {
    const { status, stdout, stderr } = run(join(dist, 'cli.js'), file, '--json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect((JSON.parse(stdout) as Plan).layerGroups).toEqual(inspect(qwen2).layerGroups);
  });

  it('says what to install where the library is missing', () => {
    const alone = join(folder, 'alone');
    cpSync(dist, alone, { recursive: true });
    writeFileSync(join(alone, 'package.json'), '{ "type": "module" }');
    const { status, stderr } = run(join(alone, 'cli.js'), file);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^posenc: reading .*model\.gguf needs .*npm install @huggingface\/gguf\)\n$/,
    );
  });

  it('tells broken and missing files in one line', () => {
    const broken = join(folder, 'broken.gguf');
    writeFileSync(broken, 'no header');
    for (const path of [broken, join(folder, 'none.gguf')]) {
      const { status, stderr } = run(join(dist, 'cli.js'), path);
      expect(status).toBe(1);
      expect(stderr).toMatch(/^posenc: cannot read .*\n$/);
    }
  });
});
