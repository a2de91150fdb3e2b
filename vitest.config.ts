import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Tests see the built package, as its users do.
  resolve: {
    alias: {
      'posenc/inspect': fileURLToPath(new URL('dist/inspect.js', import.meta.url)),
      'posenc/lab': fileURLToPath(new URL('dist/lab.js', import.meta.url)),
      'posenc/threads': fileURLToPath(new URL('dist/threads.js', import.meta.url)),
      posenc: fileURLToPath(new URL('dist/index.js', import.meta.url)),
    },
  },
  test: {
    include: ['tests/**/*.test.{ts,mjs}'],
    server: { deps: { external: [/\/dist\//] } },
    // By default one core would idle, half of a small machine.
    maxWorkers: availableParallelism(),
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
