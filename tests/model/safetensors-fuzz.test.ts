/** Broken headers, thousands of them: a PosencError or a sound reading, never anything else. */
import { expect, it } from 'vitest';
import { PosencError } from '../../web/api/error.js';
import { readSafetensors } from '../../web/api/model/weights/read.js';
import { safetensors } from './bytes-of.js';

/** Uniform in [0, 1), from a seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

const odd: readonly unknown[] = [
  ...[-1, 0.5, 1e300, 2 ** 53, 2 ** 31, null, true, '', 'F32', 'I4', {}, [], [[]], [1e18, 1e18]],
  ...[[0, 16], [8, 4], [0, 2 ** 53 - 1], { a: 1 }, 'x'.repeat(5000), '__proto__'],
];

const sound = () => ({
  a: { dtype: 'F32', shape: [2, 2], data_offsets: [0, 16] } as Record<string, unknown>,
  b: { dtype: 'BF16', shape: [4], data_offsets: [16, 24] } as Record<string, unknown>,
  c: { dtype: 'I8', shape: [3], data_offsets: [24, 27] } as Record<string, unknown>,
});

/** One broken file. */
function mutant(random: () => number): Uint8Array {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const header = sound();
  const data = new Uint8Array(27);
  const tensor = header[pick(['a', 'b', 'c'] as const)];
  switch (Math.floor(random() * 6)) {
    case 0:
      tensor[pick(['dtype', 'shape', 'data_offsets'])] = pick(odd);
      return safetensors(header, data);
    case 1:
      tensor['data_offsets'] = [Math.floor(random() * 40) - 5, Math.floor(random() * 40)];
      return safetensors(header, data);
    case 2: {
      const whole = safetensors(header, data);
      return whole.slice(0, Math.floor(random() * whole.length));
    }
    case 3: {
      const whole = safetensors(header, data);
      for (let i = 0; i < 1 + random() * 8; i++) {
        whole[Math.floor(random() * whole.length)] = Math.floor(random() * 256);
      }
      return whole;
    }
    case 4: {
      const whole = safetensors(header, data);
      const lengths = [0n, 1n, 2n ** 64n - 1n, 2n ** 53n, 99_999_999n, BigInt(whole.length - 8)];
      new DataView(whole.buffer).setBigUint64(0, pick(lengths), true);
      return whole;
    }
    default: {
      const text = JSON.stringify(header);
      const [from, to] = [random(), random()].map((x) => Math.floor(x * text.length));
      const [start, end] = [Math.min(from!, to!), Math.max(from!, to!)];
      const repeated = text.slice(0, end) + text.slice(start);
      return safetensors(pick([repeated, '['.repeat(50_000), `{"a":${'['.repeat(9e4)}`, '{"a"']));
    }
  }
}

it('reads or refuses 4,000 mutants', async () => {
  const random = generator(20260801);
  let refused = 0;
  for (let i = 0; i < 4000; i++) {
    const bytes = mutant(random);
    try {
      const weights = await readSafetensors(bytes);
      for (const [name, { shape }] of weights.tensors) {
        const count = shape.reduce((product, n) => product * n, 1);
        const data = await weights.read(name).catch((error: unknown) => {
          expect((error as PosencError).code).toBe('unsupported');
        });
        if (data !== undefined) expect(data.length).toBe(count);
      }
    } catch (error) {
      if (!(error instanceof PosencError)) throw error;
      expect(error.code).toBe('config');
      expect(error.message.length).toBeLessThan(1000);
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(2000);
});
