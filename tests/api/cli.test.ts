import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { inspect } from 'posenc';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'posenc-'));
afterAll(() => rmSync(folder, { recursive: true }));

const llama = {
  model_type: 'llama',
  hidden_size: 4096,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  max_position_embeddings: 8192,
  rope_theta: 500000.0,
};

/** Writes a file of the test folder and returns its path. */
function file(name: string, content: string | Uint8Array | object): string {
  const path = join(folder, name);
  const plain = typeof content === 'string' || content instanceof Uint8Array;
  writeFileSync(path, plain ? content : JSON.stringify(content));
  return path;
}

interface Outcome {
  code: number | null;
  out: string;
  err: string;
}

function posenc(args: string[], { input = '', env = {} } = {}): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    input,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', ...env },
    maxBuffer: 2 ** 28,
  });
  return { code: status, out: stdout, err: stderr };
}

const config = file('config.json', llama);

describe('posenc inspect prints', () => {
  it('an aligned table and notes', () => {
    const { code, out, err } = posenc(['inspect', config, '--length', '32768']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.split('\n');
    expect(lines[0]).toBe(
      'llama · 32 layers · 32 heads, 8 of keys · head size 128 · trained length 8,192 · asked length 32,768',
    );
    const [header, row] = lines.slice(2) as [string, string];
    const cells: [string, string][] = [
      ['layers', '0–31'],
      ['encoding', 'rope'],
      ['layout', 'half'],
      ['rotary dim', '128 of 128'],
      ['base', '500,000'],
      ['wavelengths', '6.283 … 2,559,196'],
      ['no full turn', '29 of 64'],
      ['softmax scale', '0.08839'],
    ];
    for (const [name, cell] of cells) expect(row.indexOf(cell)).toBe(header.indexOf(name));
    expect(out).toMatch(/^warning {2}Asked 32768.* \[unseen-phases\]$/m);
    expect(out).toMatch(/^info {5}Layout half.* \[layout-half\]$/m);
  });

  it('JSON: the same plan as the function', () => {
    const { code, out } = posenc(['inspect', '--json', config, '--length=100']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(inspect(llama, { length: 100 }));
  });

  it('Chinese, aligned in columns of double width', () => {
    for (const { out } of [
      posenc(['inspect', config, '--lang', 'zh']),
      posenc(['inspect', config], { env: { LC_ALL: 'zh_CN.UTF-8' } }),
    ]) {
      const [header, row] = out.split('\n').slice(2) as [string, string];
      expect(header).toMatch(/^层 {4}编码 {2}布局 {2}旋转维数 {3}底数/);
      expect(row).toMatch(/^0–31 {2}rope {2}half {2}128 \/ 128 {2}500,000/);
      expect(out).toMatch(/^说明 {2}布局为 half/m);
    }
  });

  it('slopes, tables, windows and what is not computed', () => {
    const print = (content: object) =>
      posenc(['inspect', '-'], { input: JSON.stringify(content) }).out;
    expect(print({ model_type: 'bloom', n_head: 16, hidden_size: 64, n_layer: 2 })).toMatch(
      /0.7071 … 0.003906/,
    );
    expect(print({ model_type: 'gpt2' })).toMatch(/1,024 × 768/);
    expect(print({ model_type: 'mistral' })).toMatch(/window.*\n.* 4,096 /);
    expect(print({ ...llama, rope_scaling: { type: 'yarn', factor: 4 } })).toMatch(
      /rule {2}cos factor.*\n.* yarn {2}1\.139 {7}6\.283 … /,
    );
    expect(print({ ...llama, rope_scaling: { type: 'magic', factor: 4 } })).toMatch(
      /rule.*\n.* magic {2}not computed/,
    );
    expect(print({ model_type: 't5', num_layers: 6 })).toMatch(
      /\n0–5 +encoder +t5.*\n6–11 +decoder/,
    );
    expect(print({ model_type: 'funnel', n_layer: 6 })).toMatch(/\n0–5 +\?/);
  });
});

describe('posenc inspect reads', () => {
  it('a folder, standard input, and UTF-16 as PowerShell writes it', () => {
    const wanted = posenc(['inspect', config]).out;
    expect(posenc(['inspect', folder]).out).toBe(wanted);
    expect(posenc(['inspect', '-'], { input: JSON.stringify(llama) }).out).toBe(wanted);
    const wide = file('wide.json', Buffer.from(`\uFEFF${JSON.stringify(llama)}`, 'utf16le'));
    expect(posenc(['inspect', wide]).out).toBe(wanted);
  });
});

describe('bad input: exit code 1, one line on standard error, no stack', () => {
  const cases: [string, string, RegExp][] = [
    [
      'a missing file',
      join(folder, 'none.json'),
      /cannot read .*none\.json: there is no such file/,
    ],
    ['HTML', file('page.json', '<!doctype html>'), /config is HTML/],
    ['a broken file', file('cut.json', '{"model_type": "llama",\n'), /line 2, column 1/],
    ['a wrong field', file('wrong.json', { ...llama, rope_theta: 'x' }), /rope_theta is "x"/],
    ['a model file', file('model.gguf', Buffer.from('GGUF\u0003\u0000')), /is a GGUF model file/],
    ['a huge file', file('huge.json', Buffer.alloc(40_000_000, 0x20)), /is empty|too long/],
    ['terminal commands', file('steer.json', '{\u001b[2J\u009b'), /^posenc: [^\p{Cc}]*\n$/u],
  ];
  for (const [name, path, message] of cases) {
    it(name, () => {
      const { code, out, err } = posenc(['inspect', path]);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(message);
      expect(err.trimEnd().split('\n')).toHaveLength(1);
    });
  }

  it('a folder without config.json', () => {
    const empty = mkdtempSync(join(folder, 'empty-'));
    expect(posenc(['inspect', empty])).toMatchObject({ code: 1, out: '' });
  });
});

describe('wrong usage: exit code 2, with the nearest spelling', () => {
  const cases: [string[], RegExp][] = [
    [[], /a command is missing/],
    [['inpsect', config], /no command inpsect; did you mean inspect\?/],
    [['train', config], /no command train; there are: inspect/],
    [['inspect'], /needs a config\.json, a folder or -/],
    [['inspect', config, config], /takes one path/],
    [['inspect', config, '--lenght', '8'], /no option --lenght; did you mean --length\?/],
    [['inspect', config, '--length'], /--length needs a value/],
    [['inspect', config, '--length', '1e3'], /--length is 1e3, needs a whole number from 1 to/],
    [['inspect', config, '--length', '0'], /--length is 0/],
    [['inspect', config, '--lang', 'fr'], /--lang is fr, needs zh or en/],
    [['inspect', config, '--json=yes'], /--json takes no value/],
  ];
  for (const [args, message] of cases) {
    it(
      args.map((argument) => argument.replace(config, 'config.json')).join(' ') || 'nothing',
      () => {
        const { code, out, err } = posenc(args);
        expect({ code, out }).toEqual({ code: 2, out: '' });
        expect(err).toMatch(message);
        expect(err).toMatch(/Try posenc --help\.\n$/);
      },
    );
  }
});

describe('posenc', () => {
  it('--help names every option, --version is that of package.json', () => {
    const { code, out } = posenc(['--help']);
    expect(code).toBe(0);
    for (const flag of ['--length', '--json', '--lang', '--help', '--version']) {
      expect(out).toContain(flag);
    }
    expect(posenc(['-h']).out).toBe(out);
    const root = new URL('../../package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(root, 'utf8')) as { version: string };
    expect(posenc(['inspect', '--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  it('prints no colours into a pipe', () => {
    expect(posenc(['inspect', config]).out).not.toContain('\u001b');
  });

  it('survives a reader that closes the pipe', async () => {
    const layers = { model_type: 'gpt2', n_layer: 4000, scale_attn_by_inverse_layer_idx: true };
    const child = spawn(process.execPath, [cli, 'inspect', file('long.json', layers), '--json']);
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });
});
