import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The tests use the built package, as users do. */
export default defineConfig({
  resolve: {
    alias: { posenc: fileURLToPath(new URL('dist/index.js', import.meta.url)) },
  },
  test: {
    include: ['tests/**/*.test.ts', 'tests/**/*.test.mjs'],
    testTimeout: 20_000,
  },
});
