import { describe, expect, it } from 'vitest';
import { PosencError, inspect } from 'posenc';

const llama = { model_type: 'llama', rope_theta: 10000, num_hidden_layers: 2 };

function failure(run: () => unknown): PosencError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(PosencError);
    return error as PosencError;
  }
  throw new Error('nothing was thrown');
}

/** Names of the hostile kinds, the text, and what the message must say. */
const texts: [string, string, RegExp][] = [
  ['empty', ' \n ', /config is empty/],
  ['HTML', '<!doctype html><html>', /config is HTML/],
  ['a login page after blank lines', '\n\n  <HTML>', /config is HTML/],
  ['a Git LFS pointer', 'version https://git-lfs.github.com/spec/v1\noid', /Git LFS pointer/],
  ['a GGUF file', 'GGUF\u0003\u0000', /GGUF/],
  ['plain text', 'Entry not found', /line 1, column 1 .*text needs double quotes.*"Entry not fo"/],
  [
    'cut off in an object',
    '{\n  "rope_theta": 1',
    /line 2, column 18 .* the text ends \(cut off\?\)/,
  ],
  ['cut off in a string', '{\n "model_type": "lla', /line 2, column 20 .*closing "/],
  ['cut off after a key', '{"rope_theta"', /column 14 .*colon/],
  ['a trailing comma', '{\n "a": 1,\n}', /line 3, column 1 .*key in double quotes.*"}"/],
  ['single quotes', "{'a': 1}", /column 2 .*key in double quotes/],
  ['a comment', '{ // base\n "a": 1}', /column 3 .*key in double quotes/],
  ['a missing comma', '{"a": 1 "b": 2}', /column 9 .*comma or }/],
  ['a missing value', '{"a": }', /column 7 .*a value was expected/],
  ['Python words', '{"a": None}', /column 7 .*"None}"/],
  ['a leading zero', '{"a": 01}', /column 8 .*comma or }/],
  ['a bad escape', '{"a": "\\x"}', /column 7 .*escapes/],
  ['a raw line break in a string', '{"a": "x\ny"}', /column 9 .*line breaks/],
  ['text after the object', '{} {}', /column 4 .*end of the text/],
  ['the same key twice', '{"a": 1, "a": 2}', /column 10 .*"a", which came before/],
  ['too deep', '{"a":' + '['.repeat(200_000), /at most 100 levels of nesting/],
  ['too long', `{"a": "${'x'.repeat(8 * 2 ** 20)}"}`, /too long.*8388608 characters/],
  ['a list', '[1, 2]', /config is an array of length 2/],
  ['null', 'null', /config is null/],
  ['a number', '5', /config is 5/],
  ['JSON inside JSON', '"{}"', /config is "{}"/],
];

describe('broken text', () => {
  for (const [name, text, message] of texts) {
    it(name, () => {
      const error = failure(() => inspect(text));
      expect(error.message).toMatch(message);
      expect(error.message.length).toBeLessThan(400);
      expect(error).toMatchObject({ code: 'config', argument: 'config' });
      expect(error.allowed).toBeTruthy();
    });
  }

  it('reads what Python writes: NaN and Infinity, a byte order mark, any white space', () => {
    const text =
      '\uFEFF\r\n{ "time_step_limit" : [0.0,\tInfinity, -Infinity, NaN], "model_type":"llama"}\n';
    expect(inspect(text).modelType).toBe('llama');
  });

  it('reads escapes and numbers as JSON.parse does', () => {
    const config = { model_type: 'llama', rope_theta: 1.5e5, note: '"\\\u0001\ud83d\ude00/\n' };
    expect(inspect(JSON.stringify(config)).layerGroups[0]?.base).toBe(150000);
    expect(inspect('{"model\\u005ftype": "llama", "rope_theta": 1e+4}').layerGroups[0]?.base).toBe(
      10000,
    );
  });
});

class Hidden {
  get rope_theta(): number {
    return 5;
  }
}

const throwing = new Proxy(llama, {
  getOwnPropertyDescriptor() {
    throw new Error('no');
  },
});

/** Whatever else may be passed, and how the message begins. */
const values: [string, unknown, RegExp][] = [
  ['undefined', undefined, /^config is undefined, needs a config object/],
  ['an array', [llama], /^config is an array of length 1/],
  ['a Map', new Map([['model_type', 'llama']]), /^config is an object \(Map\)/],
  ['bytes', new Uint8Array(9), /^config is a Uint8Array of length 9/],
  ['a function', () => llama, /^config is a function/],
  ['a Proxy that throws', throwing, /^text_config is something that cannot be read/],
  ['another JSON file', { name: 'x', dependencies: {} }, /^config is an object without model_type/],
  ["the authors' params.json", { dim: 4096, n_layers: 2, n_heads: 2 }, /^config is a params\.json/],
  [
    '20000 keys',
    Object.fromEntries(Array.from({ length: 20000 }, (_, i) => [`k${i}`, 1])),
    /20000 keys/,
  ],
];

describe('values of the wrong kind', () => {
  for (const [name, value, message] of values) {
    it(name, () => {
      const typed = typeof value === 'object' && value !== null && 'k0' in value;
      const config = typed ? { ...value, ...llama } : value;
      const error = failure(() => inspect(config));
      expect(error.code).toBe('config');
      expect(error.message).toMatch(typed ? /config is an object with 20003 keys/ : message);
    });
  }

  it('an object of another realm, without prototype or of a class is read like any other', () => {
    expect(inspect(Object.assign(Object.create(null), llama))).toEqual(inspect(llama));
    expect(inspect(Object.assign(new Hidden(), { model_type: 'llama' })).layerGroups[0]?.base).toBe(
      10000,
    );
  });
});

/** Field, value, what is allowed. */
const fields: [string, unknown, RegExp][] = [
  [
    'num_attention_heads',
    '32',
    /^num_attention_heads is "32", needs an integer from 1 to 4096, without quotes$/,
  ],
  ['num_attention_heads', 0, /^num_attention_heads is 0, needs an integer from 1 to 4096$/],
  ['num_attention_heads', -8, /is -8/],
  ['num_attention_heads', 2.5, /is 2\.5/],
  ['num_attention_heads', NaN, /is NaN/],
  ['num_attention_heads', true, /is true/],
  ['num_attention_heads', [8], /is an array of length 1/],
  ['num_hidden_layers', 1_000_000, /is 1000000, needs an integer from 1 to 4096/],
  ['hidden_size', 1e308, /is 1e\+308/],
  ['hidden_size', 2 ** 20, /at most 4096 dimensions for each of the 32 heads/],
  ['head_dim', 1e9, /from 1 to 4096/],
  ['num_key_value_heads', {}, /is an object/],
  ['max_position_embeddings', 1e300, /from 1 to 1073741824/],
  ['max_position_embeddings', 'long', /is "long", needs an integer from 1 to 1073741824$/],
  ['rope_theta', 0, /^rope_theta is 0, needs a number from 1 to 1000000000000$/],
  ['rope_theta', -10000, /is -10000/],
  ['rope_theta', Infinity, /is Infinity/],
  ['rope_theta', 1e308, /is 1e\+308/],
  ['rope_theta', '1e6', /is "1e6", .*without quotes$/],
  ['partial_rotary_factor', 1.5, /from 0 to 1/],
  ['partial_rotary_factor', -0.5, /is -0\.5/],
  ['rope_scaling', 4, /^rope_scaling is 4, needs an object or null$/],
  ['rope_scaling', [4], /is an array of length 1/],
  ['rope_scaling', 'yarn', /is "yarn"/],
  [
    'rope_scaling',
    { type: 'linear', factor: '4' },
    /^rope_scaling\.factor is "4", .*without quotes$/,
  ],
  [
    'rope_scaling',
    { type: 'linear', factor: 0.125 },
    /^rope_scaling\.factor is 0\.125, needs a number from 1/,
  ],
  ['rope_scaling', { type: 5, factor: 2 }, /^rope_scaling\.type is 5/],
  ['rope_scaling', { type: 'x y' }, /^rope_scaling\.type is "x y"/],
  [
    'rope_scaling',
    { type: 'yarn', rope_type: 'linear' },
    /rope_type is "linear" but rope_scaling\.type is "yarn"/,
  ],
  [
    'rope_scaling',
    { type: 'longrope', long_factor: [1, 'x'] },
    /long_factor\[1\] is "x", needs a finite number/,
  ],
  ['rope_scaling', { type: 'longrope', long_factor: Array(5000).fill(1) }, /at most 4096 entries/],
  ['rope_scaling', { type: 'yarn', extra: NaN }, /^rope_scaling\.extra is NaN/],
  [
    'rope_parameters',
    { full_attention: {}, factor: 2 },
    /^rope_parameters\.factor is 2, needs either one set/,
  ],
  ['rope_parameters', { 'a b': {} }, /names of layer types/],
  [
    'rope_parameters',
    Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`t${i}`, {}])),
    /^rope_parameters\.t16 .*at most 16 layer types/,
  ],
  ['layer_types', ['full_attention'], /one entry for each of the 2 layers/],
  ['layer_types', [1, 2], /^layer_types is 1, needs a name such as full_attention/],
  ['layer_types', [], /^layer_types is an array of length 0/],
  ['layer_types', 'full_attention', /a list of at most 4096 entries/],
  ['model_type', 5, /^model_type is 5, needs a name/],
  ['model_type', '<img src=x>', /^model_type is "<img src=x>"/],
  ['model_type', 'x'.repeat(1e6), /\(1000000 characters\)/],
  ['text_config', 'llama', /^text_config is "llama"/],
  ['use_sliding_window', 'yes', /true or false/],
  ['sliding_window', -1, /from 0 to/],
];

describe('fields of the wrong kind or out of range', () => {
  for (const [name, value, message] of fields) {
    const config = { model_type: 'qwen2', num_hidden_layers: 2, [name]: value };
    it(`${name} ${JSON.stringify(value)?.slice(0, 50)}`, () => {
      const error = failure(() => inspect(config));
      expect(error.message).toMatch(message);
      expect(error.code).toBe('config');
      expect(error.argument).toMatch(new RegExp(`^${name}`));
      expect(error.received).toBeTruthy();
      expect(error.allowed).toBeTruthy();
    });
  }

  it('more than 16 kinds of layers', () => {
    const layer_types = Array.from({ length: 17 }, (_, i) => `t${i}`);
    const error = failure(() => inspect({ ...llama, num_hidden_layers: 17, layer_types }));
    expect(error.message).toMatch(/at most 16 different names/);
  });

  it('names the path inside a wrapper', () => {
    const error = failure(() => inspect({ text_config: { ...llama, hidden_size: 'x' } }));
    expect(error.argument).toBe('text_config.hidden_size');
  });
});

describe('options', () => {
  it.each([0, -1, 1.5, NaN, Infinity, 2 ** 31])('length %s is out of range', (length) => {
    const error = failure(() => inspect(llama, { length }));
    expect(error).toMatchObject({ code: 'range', argument: 'length', received: String(length) });
    expect(error.message).toMatch(/needs an integer from 1 to 1073741824$/);
  });

  it.each(['8', null, [8]])('length %j is of the wrong kind', (length) => {
    const error = failure(() => inspect(llama, { length: length as unknown as number }));
    expect(error).toMatchObject({ code: 'argument', argument: 'length' });
  });

  it('a mistyped option', () => {
    const error = failure(() => inspect(llama, { lenght: 8 } as object));
    expect(error.message).toMatch(/"lenght" is not an option of inspect: did you mean length\?/);
    expect(error.code).toBe('option');
  });

  it('no object', () => {
    expect(failure(() => inspect(llama, 8 as unknown as object)).code).toBe('argument');
    expect(failure(() => inspect(llama, null as unknown as object)).code).toBe('argument');
  });
});

describe('hostile keys', () => {
  it('__proto__, constructor and prototype change nothing, in text and in objects', () => {
    const poison = '{"polluted": 1, "rope_theta": 7}';
    const text =
      `{"model_type": "llama", "__proto__": ${poison}, "constructor": ${poison},` +
      ` "rope_scaling": {"type": "linear", "factor": 1, "__proto__": 5, "constructor": 6}}`;
    for (const config of [text, JSON.parse(text) as unknown]) {
      const plan = inspect(config);
      expect(plan.layerGroups[0]?.base).toBe(10000);
      expect(plan.layerGroups[0]?.scaling?.parameters).toEqual({ factor: 1 });
      expect(Object.hasOwn(plan.layerGroups[0]?.scaling?.parameters ?? {}, '__proto__')).toBe(
        false,
      );
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('settings in a prototype are not settings', () => {
    const inherited = Object.assign(Object.create({ rope_theta: 7 }) as object, llama);
    expect(inspect(inherited).layerGroups[0]?.base).toBe(10000);
  });
});

describe('a megabyte', () => {
  const texts = {
    'of labels': {
      ...llama,
      id2label: Object.fromEntries(
        Array.from({ length: 30_000 }, (_, i) => [String(i), `a label with number ${i}`]),
      ),
    },
    'of numbers': { ...llama, numbers: Array.from({ length: 160_000 }, (_, i) => i) },
  };

  it.each(Object.entries(texts))('%s is read in less than 50 ms', (_, config) => {
    const text = JSON.stringify(config);
    expect(text.length).toBeGreaterThan(1e6);
    expect(fastest(() => inspect(text))).toBeLessThan(50);
  });

  it('is not needed for the most layers of the widest heads', () => {
    const most = { ...llama, num_hidden_layers: 4096, head_dim: 4096 };
    expect(fastest(() => inspect(most))).toBeLessThan(50);
  });
});

/** The best of twenty runs in milliseconds: what else runs on the machine must not count. */
function fastest(run: () => unknown): number {
  const times = Array.from({ length: 20 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...times);
}
