/** Sets up, builds the package and serves the site with live reload. */
import { build } from './build.mjs';
import { isMain, main } from './lib/main.mjs';
import { ROOT, tool } from './lib/project.mjs';
import { runLoud } from './lib/run.mjs';
import { setUp } from './setup.mjs';

if (isMain(import.meta.url)) {
  await main(async () => {
    await setUp();
    await build(['wasm-simd', 'wasm-relaxed', 'wasm-lite', 'api', 'types', 'reference']);
    await runLoud(tool('vitepress'), ['dev', 'web/site'], { cwd: ROOT });
  });
}
