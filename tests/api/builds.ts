/** The builds that have all encodings, for tests that run in both. */
import { setFlagsFromString } from 'node:v8';
import { load, type Posenc } from 'posenc';
import { posenc as simd } from './posenc.js';

// Node 20 hides relaxed SIMD behind a flag; newer ones have it, and no such flag.
if (Number.parseInt(process.versions.node) < 21) {
  setFlagsFromString('--experimental-wasm-relaxed-simd');
}

export const builds: readonly [name: string, posenc: Posenc][] = [
  ['simd', simd],
  ['relaxed', await load({ variant: 'relaxed' })],
];
