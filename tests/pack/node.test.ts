/** The installed package in Node: as a module, through require(), in a worker, from the command line. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { install, runIn } from './install.js';

const folder = await install();

async function runFile(name: string, code: string) {
  await writeFile(join(folder, name), code);
  return runIn(folder, process.execPath, name);
}

/** Prints the rotation of (1, 0) by one radian. */
const use = `load().then((posenc) => {
  const rope = posenc.encoding('rope', { headDim: 2 });
  const turned = rope.rotate(Float32Array.of(1, 0), { shape: [2], positions: 1 });
  console.log(Array.from(turned, (x) => x.toFixed(4)).join());
});`;
const success = { code: 0, stdout: '0.5403,0.8415\n', stderr: '' };

describe('the installed package runs', () => {
  test('as a module', async () => {
    const code = `import { load } from 'posenc';\n${use}`;
    expect(await runFile('module.mjs', code)).toEqual(success);
  });

  test('through require()', async () => {
    const code = `const { load } = require('posenc');\n${use}`;
    const { stderr, ...outcome } = await runFile('script.cjs', code);
    expect({ ...outcome, stderr: '' }).toEqual(success);
    // Node 20 and 22 say that require() of a module is experimental.
    expect(stderr.replace(/.*(ExperimentalWarning|--trace-warnings).*\n/g, '')).toBe('');
  });

  test('in a worker', async () => {
    await writeFile(join(folder, 'worker.mjs'), `import { load } from 'posenc';\n${use}`);
    const code = `import { Worker } from 'node:worker_threads';
      new Worker(new URL('worker.mjs', import.meta.url));`;
    expect(await runFile('main.mjs', code)).toEqual(success);
  });

  test('with threads, whose end it does not wait for', async () => {
    const code = `import { load } from 'posenc/threads';\n${use.replace('load()', 'load({ threads: 3 })')}`;
    expect(await runFile('threads.mjs', code)).toEqual(success);
  });

  test('with its exported file', async () => {
    const code = `import { load } from 'posenc';
      import { readFile } from 'node:fs/promises';
      const file = new URL(import.meta.resolve('posenc/kernels-simd.wasm'));
      const posenc = await load({ wasmBinary: await readFile(file) });
      console.log(posenc.info.variant);`;
    expect(await runFile('file.mjs', code)).toEqual({ ...success, stdout: 'simd\n' });
  });
});

test('posenc/lab trains with a module that posenc loaded', async () => {
  const code = `import { load } from 'posenc';
    import { openModel, startRun } from 'posenc/lab';
    const pe = await load();
    const recipe = { task: 'copy', encoding: 'rope', width: 16, heads: 2, batch: 4, steps: 3 };
    const run = await startRun({ pe, recipe });
    while (run.steps < 3) run.step();
    const opened = await openModel({ pe, file: run.export().weights });
    console.log(run.losses.length, run.evaluate(10).examples, opened.recipe.width);
    await startRun({ pe, recipe: { ...recipe, task: 'copi' } }).catch((error) => console.log(error.code));`;
  expect(await runFile('lab.mjs', code)).toEqual({ ...success, stdout: '3 64 16\noption\n' });
});

describe('importing the package', () => {
  test('does nothing, and needs no global of pages or Node', async () => {
    const code = `
      const before = new Set(Reflect.ownKeys(globalThis));
      const kept = ['WebAssembly', 'fetch', 'atob', 'process', 'Buffer', 'AbortController', 'URL'];
      const saved = new Map(kept.map((name) => [name, globalThis[name]]));
      for (const name of kept) delete globalThis[name];
      const { PosencError } = await import('posenc');
      for (const [name, value] of saved) globalThis[name] = value;
      const added = Reflect.ownKeys(globalThis).filter((name) => !before.has(name));
      console.log(PosencError.name, added.length);`;
    expect(await runFile('bare.mjs', code)).toEqual({ ...success, stdout: 'PosencError 0\n' });
  });

  test('exports what it documents', async () => {
    const code = `console.log(Object.keys(await import('posenc')).sort().join());`;
    const { stdout } = await runFile('keys.mjs', code);
    const names = [
      ...[
        'PosencError',
        'inspect',
        'load',
        'pairCoverage',
        'scaleFrequencies',
        'scalingBands',
        'scalings',
      ],
      ...['abacusPositions', 'mropePositions', 'packedPositions'],
      ...['posePositions', 'positionsFromMask', 'randomizedPositions', 'shapePositions'],
      ...['streamingPositions', 'dualChunk', 'leakyReRope', 'reRope', 'selfExtend'],
      ...['convertLayout', 'convertProjection', 'detectLayout'],
      ...['characterTokenizer', 'huggingFaceTokenizer', 'llama2cTokenizer'],
      ...['readSafetensors', 'writeSafetensors'],
    ];
    expect(stdout).toBe(`${names.sort().join()}\n`);
  });

  test('posenc/lab exports what it documents, and loads no module by itself', async () => {
    const code = `
      delete globalThis.WebAssembly;
      const lab = await import('posenc/lab');
      console.log(Object.keys(lab).sort().join());
      console.log(lab.tasks.length, lab.fillRecipe({ task: 'copy', encoding: 'rope' }).width);`;
    const { stdout } = await runFile('lab-keys.mjs', code);
    const names = [
      ...['fillRecipe', 'labEncodingNames', 'labEncodingTitles', 'labFamilies', 'openModel'],
      ...['rateAt', 'resumeRun', 'startRun', 'tasks'],
    ];
    expect(stdout).toBe(`${names.join()}\n14 64\n`);
  });

  test('says what an engine without DecompressionStream can do', async () => {
    const code = `delete globalThis.DecompressionStream;
      const { load } = await import('posenc');
      await load().catch(({ code, message }) => console.log(code, message));`;
    const { stdout } = await runFile('old.mjs', code);
    expect(stdout).toMatch(
      /^unsupported this engine has no DecompressionStream: .* pass wasmUrl\n$/,
    );
  });

  test('keeps its other files to itself', async () => {
    const code = `import('posenc/dist/simd.js').catch((error) => console.log(error.code));`;
    const { stdout } = await runFile('deep.mjs', code);
    expect(stdout).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n');
  });
});

describe('the command line', () => {
  const posenc = join(folder, 'node_modules/.bin/posenc');
  const config = JSON.stringify({
    model_type: 'llama',
    ...{ num_hidden_layers: 2, hidden_size: 128, num_attention_heads: 2 },
    ...{ max_position_embeddings: 2048, rope_theta: 10000 },
  });

  test('inspects a config.json', async () => {
    await writeFile(join(folder, 'config.json'), config);
    const { code, stdout } = await runIn(folder, posenc, 'inspect', 'config.json', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ modelType: 'llama', layers: 2, headDim: 64 });
  });

  test('says what is wrong', async () => {
    const { code, stdout, stderr } = await runIn(folder, posenc, 'inspect', 'absent.json');
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain('absent.json');
  });
});
