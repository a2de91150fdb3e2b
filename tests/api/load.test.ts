import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { load, type LoadOptions, type Posenc } from 'posenc';
import { posenc, rejection } from './posenc.js';

const dist = new URL('../../dist/', import.meta.url);
const simd = await readFile(new URL('kernels-simd.wasm', dist));
const { version } = JSON.parse(await readFile(new URL('../package.json', dist), 'utf8')) as {
  version: string;
};

let requests = 0;
const answers: Record<string, [status: number, type: string, body: Buffer | string]> = {
  '/simd.wasm': [200, 'application/wasm', simd],
  '/as-text.wasm': [200, 'text/plain', simd],
  '/app.wasm': [200, 'text/html', '<!doctype html><title>App</title>'],
  '/gone.wasm': [404, 'text/html', '<!doctype html>'],
  '/empty.wasm': [200, 'application/wasm', ''],
};
const server = createServer((request, response) => {
  requests += 1;
  const answer = answers[request.url ?? ''];
  if (answer === undefined) return; // never answers
  response.writeHead(answer[0], { 'content-type': answer[1] }).end(answer[2]);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('load', () => {
  test('calls with equal options share one module', async () => {
    expect(await load({ variant: 'simd' })).toBe(posenc);
    expect(await load()).toBe(await load({ variant: 'auto' }));
    expect(await load()).toBe(await load({ variant: posenc.info.variant }));
    expect(await load({ wasmBinary: simd })).toBe(await load({ wasmBinary: simd }));
    expect(await load({ wasmBinary: simd })).not.toBe(posenc);
  });

  test('tells version and variant', () => {
    expect(posenc.info).toMatchObject({ version, variant: 'simd', liveTensors: 0 });
    expect(posenc.info.memoryBytes).toBeGreaterThanOrEqual(2 ** 24);
  });

  test('gives the lite build: four encodings, the same bits', async () => {
    const lite = await load({ variant: 'lite' });
    const names = lite.encodings.map(({ name }) => name);
    expect(names).toEqual(['nope', 'sinusoidal', 'rope', 'alibi']);
    for (const { encoding } of [lite, posenc]) {
      expect(() => encoding('rop' as 'rope', { headDim: 8 })).toThrow('did you mean "rope"?');
    }
    const table = (pe: Posenc) => pe.encoding('rope', { headDim: 8 }).table([3, 2 ** 20]);
    expect(table(lite)).toEqual(table(posenc));
    expect(() => lite.encoding('t5', { heads: 8, table: new Float32Array(256) })).toThrow('t5');
    const cache = { kvHeads: 1, headDim: 8, capacity: 4 };
    expect(() => lite.kvCache(cache)).toThrow("the build 'lite' has no kvCache");
    const x = new Float32Array(4);
    const call = { query: x, key: x, value: x, gradient: x };
    const shape = { heads: 1, queries: 1, headDim: 4 };
    expect(() => lite.attentionBackward({ ...call, shape })).toThrow(
      "'lite' has no attentionBackward",
    );
  });

  test('takes the module from a URL, whatever its content type', async () => {
    for (const path of ['simd.wasm', 'as-text.wasm']) {
      const other = await load({ wasmUrl: `${origin}/${path}` });
      expect(other.info).toMatchObject({ version, variant: 'simd' });
    }
    const before = requests;
    await load({ wasmUrl: new URL(`${origin}/simd.wasm`) });
    expect(requests).toBe(before);
  });

  test('takes bytes of every kind, and a compiled module', async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(simd.length));
    shared.set(simd);
    const sources: LoadOptions[] = [
      { wasmBinary: simd },
      { wasmBinary: new Uint8Array(simd).buffer },
      { wasmBinary: new DataView(new Uint8Array(simd).buffer) },
      { wasmBinary: shared },
      { wasmModule: await WebAssembly.compile(new Uint8Array(simd)) },
    ];
    for (const source of sources) {
      expect((await load(source)).random(1).uniform(4)).toEqual(posenc.random(1).uniform(4));
    }
  });

  test('copies bytes, which may change while it works', async () => {
    const bytes = new Uint8Array(simd);
    const loading = load({ wasmBinary: bytes });
    bytes.fill(0);
    expect((await loading).info.variant).toBe('simd');
  });

  test('needs no this', async () => {
    const { encoding, random, zeros } = await load();
    expect(encoding('nope').name).toBe('nope');
    expect(random(1).uniform(1)).toHaveLength(1);
    zeros([1]).dispose();
  });
});

describe('a load that cannot work says why', () => {
  const cases: [what: string, options: unknown, code: string, message: string][] = [
    ['unknown option', { varient: 'simd' }, 'option', 'did you mean variant?'],
    ['no object', 'simd', 'argument', 'options is "simd"'],
    ['unknown variant', { variant: 'smid' }, 'option', 'did you mean "simd"?'],
    ['no variant', { variant: 1 }, 'argument', 'variant is 1'],
    [
      'two sources',
      { wasmUrl: `${origin}/simd.wasm`, wasmBinary: simd },
      'argument',
      'wasmUrl and wasmBinary exclude each other',
    ],
    ['no signal', { signal: {} }, 'argument', 'signal is an object, needs an AbortSignal'],
    ['no URL', { wasmUrl: 5 }, 'argument', 'wasmUrl is 5, needs a URL'],
    ['a relative URL in Node', { wasmUrl: 'kernels.wasm' }, 'argument', 'an absolute one'],
    [
      'a file URL',
      { wasmUrl: new URL('kernels-simd.wasm', dist) },
      'unsupported',
      'fetch() reads no files: read it and pass wasmBinary',
    ],
    [
      'a page',
      { wasmUrl: `${origin}/app.wasm` },
      'wasm-load',
      'not WebAssembly (first bytes 60, 33, 100, 111: the server answered with an HTML page) at ' +
        `${origin}/app.wasm`,
    ],
    ['404', { wasmUrl: `${origin}/gone.wasm` }, 'wasm-load', 'the server answered 404 Not Found'],
    ['nothing', { wasmUrl: `${origin}/empty.wasm` }, 'wasm-load', 'not WebAssembly (no bytes)'],
    ['no server', { wasmUrl: 'http://127.0.0.1:9/x.wasm' }, 'wasm-load', 'cannot fetch http://127'],
    ['unknown scheme', { wasmUrl: 'nope:x.wasm' }, 'wasm-load', 'cannot fetch nope:x.wasm'],
    [
      'no bytes',
      { wasmBinary: 'AGFzbQ' },
      'argument',
      'wasmBinary is "AGFzbQ", needs an ArrayBuffer',
    ],
    ['empty bytes', { wasmBinary: new ArrayBuffer(0) }, 'wasm-load', 'not WebAssembly (no bytes)'],
    [
      'a page as bytes',
      { wasmBinary: Buffer.from('\n <html>') },
      'wasm-load',
      'not WebAssembly (first bytes 10, 32, 60, 104: an HTML page) in wasmBinary',
    ],
    ['gzip', { wasmBinary: Uint8Array.of(31, 139, 8, 0) }, 'wasm-load', 'a gzip file'],
    [
      'truncated',
      { wasmBinary: simd.subarray(0, 5000) },
      'wasm-load',
      'cannot compile the module in',
    ],
    [
      'another version',
      { wasmBinary: stamped('9.9.9 simd') },
      'wasm-load',
      `the WebAssembly module is posenc 9.9.9 simd, needs posenc ${version} simd`,
    ],
    [
      'another variant',
      { wasmBinary: stamped(`${version} relaxed`), variant: 'simd' },
      'wasm-load',
      `the WebAssembly module is posenc ${version} relaxed, needs posenc ${version} simd`,
    ],
    [
      'another module',
      { wasmBinary: Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0) },
      'wasm-load',
      'the WebAssembly module is not one of posenc, needs posenc',
    ],
    [
      'a module that is not what its stamp says',
      { wasmBinary: stamped(`${version} simd`) },
      'wasm-load',
      'cannot start the simd module',
    ],
    ['no module', { wasmModule: simd }, 'argument', 'wasmModule is a Uint8Array of length'],
  ];
  test.each(cases)('%s', async (_, options, code, message) => {
    const error = await rejection(load(options as LoadOptions));
    expect(error.message).toContain(message);
    expect(error.code).toBe(code);
  });
});

describe('a failed load', () => {
  test('is forgotten', async () => {
    const wasmUrl = `${origin}/late.wasm`;
    answers['/late.wasm'] = [503, 'text/plain', 'later'];
    expect((await rejection(load({ wasmUrl }))).message).toContain('503');
    answers['/late.wasm'] = answers['/simd.wasm']!;
    expect((await load({ wasmUrl })).info.variant).toBe('simd');
  });

  test('leaves the module inside the package alone', async () => {
    expect(await load({ variant: 'simd' })).toBe(posenc);
  });
});

describe('signal', () => {
  const wasmUrl = `${origin}/never.wasm`;

  test('that has fired starts nothing', async () => {
    const before = requests;
    const error = await rejection(load({ wasmUrl, signal: AbortSignal.abort('no need') }));
    expect(error).toMatchObject({ code: 'aborted', argument: 'signal', cause: 'no need' });
    expect(requests).toBe(before);
  });

  test('stops a load that nobody else waits for', async () => {
    const hungUp = new Promise((resolve) => {
      server.once('request', (request) => request.once('close', resolve));
    });
    const error = await rejection(load({ wasmUrl, signal: AbortSignal.timeout(50) }));
    expect(error.code).toBe('aborted');
    await hungUp;
  });

  test('leaves the load to others who wait', async () => {
    answers['/slow.wasm'] = answers['/simd.wasm']!;
    const controller = new AbortController();
    const impatient = load({ wasmUrl: `${origin}/slow.wasm`, signal: controller.signal });
    const patient = load({ wasmUrl: `${origin}/slow.wasm` });
    controller.abort();
    expect((await rejection(impatient)).code).toBe('aborted');
    expect((await patient).info.variant).toBe('simd');
  });

  test('that fires afterwards changes nothing', async () => {
    const controller = new AbortController();
    const loaded = await load({ wasmBinary: simd, signal: controller.signal });
    controller.abort();
    expect(await load({ wasmBinary: simd })).toBe(loaded);
  });
});

describe('an engine', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  test('without WebAssembly is refused', async () => {
    vi.stubGlobal('WebAssembly', undefined);
    const error = await rejection(load());
    expect(error).toMatchObject({ code: 'unsupported', name: 'PosencError' });
    expect(error.message).toContain('no WebAssembly: it is switched off');
  });

  test('without SIMD is refused', async () => {
    vi.spyOn(WebAssembly, 'validate').mockReturnValue(false);
    const error = await rejection(load());
    expect(error.message).toContain('this engine has no WebAssembly SIMD');
    expect(error.code).toBe('unsupported');
  });

  test('without relaxed SIMD gets simd, unless relaxed was asked for', async () => {
    vi.spyOn(WebAssembly, 'validate').mockImplementation((module) => module.byteLength < 40);
    expect((await load()).info.variant).toBe('simd');
    const error = await rejection(load({ variant: 'relaxed' }));
    expect(error.message).toContain("no WebAssembly relaxed SIMD: take variant 'simd' or 'auto'");
    expect(error.code).toBe('unsupported');
  });
});

/** An empty module that says it is a build of this package. */
function stamped(text: string): Uint8Array {
  const content = Buffer.from(`\u0006posenc${text}`);
  return Buffer.concat([simd.subarray(0, 8), Buffer.of(0, content.length), content]);
}
