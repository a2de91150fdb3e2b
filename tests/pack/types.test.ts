/** The declarations of the installed package, in every way that TypeScript finds them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { install, root, runIn } from './install.js';

const folder = await install();
await writeFile(
  join(folder, 'use.ts'),
  `import { load, inspect, PosencError, type Posenc, type Tensor } from 'posenc';
   import { load as loadThreads, type ThreadedPosenc } from 'posenc/threads';
   import { startRun, tasks, type LabExport, type Recipe, type Score } from 'posenc/lab';
   export async function useLab(pe: Posenc): Promise<LabExport> {
     const recipe: Recipe = { task: 'copy', encoding: 'rope', train: [1, 5], seed: 3 };
     // @ts-expect-error unknown encoding
     const other: Recipe = { task: 'copy', encoding: 'ropes' };
     const run = await startRun({ pe, recipe });
     const score: Score = run.evaluate(tasks[0]!.train[1], { examples: 5 });
     // @ts-expect-error unknown option
     run.evaluate(5, { example: score.examples, seed: other.seed });
     run.dispose();
     return run.export({ dtype: 'f16' });
   }
   export async function useThreads(): Promise<number> {
     const posenc: ThreadedPosenc = await loadThreads({ threads: 2 });
     posenc.dispose();
     // @ts-expect-error unknown option
     await loadThreads({ wasmUrl: '' });
     return posenc.info.threads;
   }
   export async function use(): Promise<number> {
     const posenc: Posenc = await load({ variant: 'simd' });
     const rope = posenc.encoding('rope', { headDim: 64, layout: 'interleaved' });
     const turned: Float32Array = rope.rotate(new Float32Array(64), { shape: [64] });
     const tensor: Tensor = posenc.tensor(turned, [1, 1, 1, 64]);
     const { output } = posenc.attention({ query: tensor, key: tensor, value: tensor, encoding: rope });
     tensor.dispose();
     // @ts-expect-error unknown option
     posenc.encoding('rope', { headDim: 64, theta: 1 });
     // @ts-expect-error unknown variant
     await load({ variant: 'scalar' });
     if (!(inspect({}) instanceof PosencError)) return output.length + rope.options.rotaryDim;
     return 0;
   }`,
);
await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');

test.each([
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
  ['esnext', 'node10'],
])('module %s, resolution %s', async (module, resolution) => {
  const { code, stdout } = await runIn(
    folder,
    join(root, 'node_modules/.bin/tsc'),
    ...['use.ts', '--noEmit', '--strict', '--exactOptionalPropertyTypes'],
    ...['--module', module, '--moduleResolution', resolution],
    ...['--target', 'es2022', '--lib', 'es2022,dom'],
  );
  expect(stdout).toBe('');
  expect(code).toBe(0);
});
