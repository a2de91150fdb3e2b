import { describe, expect, it } from 'vitest';
import { PosencError, inspect } from 'posenc';
import type { Plan } from 'posenc';

/** mulberry32: a small seeded stream, so that a failure can be repeated. */
function stream(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const types = [
  'llama',
  'mistral',
  'qwen',
  'qwen2',
  'qwen3',
  'gpt_neox',
  'bloom',
  'gpt2',
  'glm4',
  't5',
  'cohere2',
];

const names = [
  'hidden_size',
  'num_attention_heads',
  'num_key_value_heads',
  'num_hidden_layers',
  'n_layer',
  'n_head',
  'n_embd',
  'head_dim',
  'kv_channels',
  'max_position_embeddings',
  'n_positions',
  'seq_length',
  'rope_theta',
  'rotary_emb_base',
  'rotary_pct',
  'rotary_dim',
  'partial_rotary_factor',
  'rope_scaling',
  'rope_parameters',
  'sliding_window',
  'use_sliding_window',
  'max_window_layers',
  'layer_types',
  'architectures',
  'text_config',
  'alibi',
  'use_dynamic_ntk',
  'scale_attn_weights',
  '__proto__',
];

type Pick = <T>(from: readonly T[]) => T;

/** Values from plausible to hostile. */
function value(pick: Pick, depth: number): unknown {
  const rules = ['default', 'linear', 'yarn', 'llama3', 'longrope', 'mrope', 'su', 'nothing', ''];
  const layers = ['full_attention', 'sliding_attention', 'linear_attention'];
  return pick<() => unknown>([
    () => pick([1, 2, 4, 8, 12, 16, 32, 64, 128, 1024, 4096]),
    () => pick([10000, 1e6, 0.25, 0.5, 1]),
    () => pick([0, -1, 2.5, 1e308, -1e308, 2 ** 53, NaN, Infinity, 5e-324]),
    () => pick([null, undefined, true, false, '', '32', 'x'.repeat(5000), '__proto__']),
    () => ({ rope_type: pick(rules), factor: pick([1, 2, 0.5, '4', null]), rope_theta: 10000 }),
    () => Object.fromEntries(layers.map((name) => [name, { rope_theta: pick([10000, 'x', 1e6]) }])),
    () => Array.from({ length: pick([0, 1, 2, 4, 5000]) }, () => pick(layers)),
    () => (depth > 3 ? {} : config(pick, depth + 1)),
  ])();
}

function config(pick: Pick, depth = 0): Record<string, unknown> {
  const fields = Array.from({ length: pick([0, 1, 2, 3, 5, 8]) }, () => [
    pick(names),
    value(pick, depth),
  ]);
  return Object.fromEntries([['model_type', pick([...types, undefined])], ...fields]) as object &
    Record<string, unknown>;
}

/** What every plan promises. */
function check(plan: Plan): void {
  expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  const layers = plan.layerGroups.flatMap((group) => group.layers);
  expect(new Set(layers).size).toBe(layers.length);
  for (const group of plan.layerGroups) {
    const { computed, encoding, inverseFrequencies, wavelengths, rotaryDim } = group;
    expect([...inverseFrequencies, ...wavelengths].every((n) => n > 0 && n < Infinity)).toBe(true);
    if (computed && encoding === 'rope') {
      expect(inverseFrequencies).toHaveLength((rotaryDim ?? 0) / 2);
      expect(group.options).not.toBeNull();
    }
    if (!computed)
      expect(group).toMatchObject({ options: null, inverseFrequencies: [], slopes: [] });
    if (!computed) expect(plan.warnings).not.toEqual([]);
  }
}

/** Returns a plan or throws a PosencError, soon. */
function judge(input: unknown): 'plan' | 'error' {
  const start = performance.now();
  try {
    check(inspect(input));
    return 'plan';
  } catch (error) {
    if (!(error instanceof PosencError)) throw error;
    expect(error.code).toBe('config');
    expect(error.message).not.toMatch(/\[object|undefined undefined/);
    expect(error.message.length).toBeLessThan(600);
    return 'error';
  } finally {
    expect(performance.now() - start).toBeLessThan(500);
  }
}

describe('any config gives a plan or a PosencError', () => {
  it('800 objects', () => {
    const random = stream(20260101);
    const pick: Pick = (from) => from[Math.floor(random() * from.length)]!;
    const outcomes = Array.from({ length: 800 }, () => judge(config(pick)));
    // Both must happen often, else the generator tests only one of the two.
    expect(outcomes.filter((outcome) => outcome === 'plan').length).toBeGreaterThan(100);
    expect(outcomes.filter((outcome) => outcome === 'error').length).toBeGreaterThan(100);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('800 damaged texts', () => {
    const random = stream(7);
    const text = JSON.stringify({
      model_type: 'llama',
      architectures: ['LlamaForCausalLM'],
      rope_theta: 5e5,
      hidden_size: 4096,
      rope_scaling: { type: 'linear', factor: 1.0 },
      text: 'a "quoted" \\ word',
    });
    const damage = '{}[]",:\\0123456789-+eE.ntf\u0000\n\ud800<';
    const outcomes = Array.from({ length: 800 }, () => {
      const at = Math.floor(random() * text.length);
      const unit = damage[Math.floor(random() * damage.length)]!;
      const cut =
        random() < 0.3 ? text.slice(0, at) : text.slice(0, at) + unit + text.slice(at + 1);
      return judge(cut);
    });
    expect(new Set(outcomes)).toEqual(new Set(['plan', 'error']));
  });

  it('agrees with JSON.parse on what is JSON', () => {
    const random = stream(3);
    const alphabet = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"model_type"',
      '1',
      '-0.5e3',
      'true',
      'null',
      ' ',
      '\n',
    ];
    for (let n = 0; n < 2000; n++) {
      const inner = Array.from(
        { length: 4 },
        () => alphabet[Math.floor(random() * alphabet.length)]!,
      );
      const text = `{"model_type":"llama","x":${inner.join('')}}`;
      const valid = parses(text) && !/"model_type".*"model_type":/.test(text);
      if (valid) expect(() => inspect(text)).not.toThrow();
      else expect(() => inspect(text)).toThrow(PosencError);
    }
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
