/** The relaxed build gives the numbers of the simd build, but for the last bits. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { expectNear } from './posenc.js';

const index = new URL('../../dist/index.js', import.meta.url).href;

/** What both builds compute, as a program of its own. */
const program = `
  import { load } from ${JSON.stringify(index)};
  const results = {};
  for (const variant of ['simd', 'relaxed']) {
    const posenc = await load({ variant });
    const x = posenc.random(1).normal(2 * 70 * 64);
    const rope = posenc.encoding('rope', { headDim: 64 });
    const alibi = posenc.encoding('alibi', { heads: 2 });
    const shape = { heads: 2, queries: 70, headDim: 64 };
    const encoding = [rope, alibi];
    const { output } = posenc.attention({ query: x, key: x, value: x, shape, encoding, causal: true });
    results[variant] = {
      variant: posenc.info.variant,
      random: Array.from(x),
      rows: Array.from(posenc.encoding('sinusoidal', { width: 65 }).embed(2 ** 24, { tokens: 9 })),
      turned: Array.from(rope.rotate(x, { shape: [2, 70, 64], positions: 1000 })),
      output: Array.from(output),
    };
  }
  const auto = (await load()).info.variant;
  console.log(JSON.stringify({ ...results, auto }));
`;

type Numbers = Record<'random' | 'rows' | 'turned' | 'output', number[]>;
type Results = Record<'simd' | 'relaxed', Numbers & { variant: string }> & { auto: string };

test('relaxed is what auto takes where it runs, and agrees with simd', async () => {
  // Node 20 hides relaxed SIMD behind a flag; newer ones have it, and no such flag.
  const [major] = process.versions.node.split('.').map(Number);
  const flags = major! < 21 ? ['--experimental-wasm-relaxed-simd'] : [];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, '--input-type=module', '--eval', program],
    { maxBuffer: 2 ** 24 },
  );
  const { simd, relaxed, auto } = JSON.parse(stdout) as Results;
  expect(auto).toBe('relaxed');
  expect([simd.variant, relaxed.variant]).toEqual(['simd', 'relaxed']);
  expect(relaxed.random).toEqual(simd.random);
  expectNear(relaxed.rows, simd.rows);
  expectNear(relaxed.turned, simd.turned);
  expectNear(relaxed.output, simd.output);
});
