/** Sets up, builds and serves the explainer: `npm start`, or `npm start -- --port 8080`. */
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { isMain, main } from './lib/main.mjs';
import { at } from './lib/project.mjs';
import { serve } from './lib/serve.mjs';
import { setUp } from './setup.mjs';

const DEFAULT_PORT = '4173';

if (isMain(import.meta.url)) {
  await main(async () => {
    const { values } = parseArgs({ options: { port: { type: 'string', default: DEFAULT_PORT } } });
    const port = Number(values.port);
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      throw new Error(`--port must be a whole number from 0 to 65535; got ${values.port}`);
    }
    await setUp();
    await build();
    const { address } = await serve(at('build/site'), { port });
    console.log(`\nThe explainer is at ${address} (stop with Ctrl+C)`);
  });
}
