/**
 * `npm run bench`: both builds against plain JavaScript, in this Node and in Chromium (where relaxed
 * SIMD is on by default). Prints medians of interleaved runs and their ratios; numbers of different
 * machines, or of different runs, do not compare.
 */
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { serve } from '../../scripts/lib/serve.mjs';
import { findChromium } from '../../scripts/lib/system.mjs';
import { ROOT } from '../../scripts/lib/project.mjs';
import { load } from '../../dist/index.js';
import { measureAll } from './work.mjs';

const { version } = createRequire(import.meta.url)('../../package.json');

function print(where, variant, rows) {
  console.log(`\n${where}, ${variant} build`);
  for (const { work, ms, ratios } of rows) {
    console.log(`  ${work}`);
    for (const [name, time] of Object.entries(ms)) {
      console.log(`    ${name.padEnd(30)} ${time.toFixed(2).padStart(9)} ms`);
    }
    for (const [name, ratio] of Object.entries(ratios)) {
      const unit = name.includes('/s') ? '' : '×';
      console.log(`    ${name.padEnd(30)} ${ratio.toFixed(2).padStart(9)} ${unit}`);
    }
  }
}

async function inNode() {
  const pe = await load();
  print(`Node ${process.version}`, pe.info.variant, measureAll(pe));
}

async function inChromium(executablePath) {
  const server = await serve(ROOT);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(`${server.address}tests/bench/page.html`);
    for (const variant of ['relaxed', 'simd']) {
      const rows = await page.evaluate(async (wanted) => {
        const [{ load: start }, { measureAll: measure }] = await Promise.all([
          import('/dist/index.js'),
          import('/tests/bench/work.mjs'),
        ]);
        return measure(await start({ variant: wanted }));
      }, variant);
      print(`Chromium ${browser.version()}`, variant, rows);
    }
  } finally {
    await browser.close();
    await server.close();
  }
}

console.log(`posenc ${version}: median time of one call; ratios say how many times as fast`);
await inNode();
const executablePath = findChromium();
if (executablePath === undefined) {
  console.log('\nSkipped: no Chromium here, so the relaxed build was not measured in a browser.');
} else {
  await inChromium(executablePath);
}
