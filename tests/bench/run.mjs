/**
 * `npm run bench`: measures the package in this Node (build `simd`), in Node 22 or newer where there is
 * one (`relaxed`), and in Chromium (both); beside it plain JavaScript and what the machine can do, and
 * with --peers other libraries. See bench.mjs for how. Numbers of different machines, or of different
 * runs, do not compare.
 *
 *   --only TEXT       rows whose id has it (may be given again): --only decode --only forward-512
 *   --engine NAME     node, node-new or chromium (may be given again); default: all there are
 *   --variant NAME    relaxed or simd; default: each that the engine can run
 *   --quick           without plain JavaScript
 *   --cpu             the time of the process instead of wall time (in Node): where others use the machine
 *   --dist FOLDER     another build of the package
 *   --baseline FOLDER a build to compare with, round by round
 *   --peers FOLDER    where `npm run bench:peers` has installed other libraries
 *   --save            writes results/latest.json
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { at } from '../../scripts/lib/project.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { findChromium } from '../../scripts/lib/system.mjs';
import { chromiumVersion, inChromium, node } from './engines.mjs';
import { findNewNode } from './peers/find.mjs';
import { describeRow } from './print.mjs';
import { save } from './results.mjs';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    engine: { type: 'string', multiple: true, default: ['node', 'node-new', 'chromium'] },
    variant: { type: 'string', default: 'auto' },
    quick: { type: 'boolean', default: false },
    cpu: { type: 'boolean', default: false },
    dist: { type: 'string', default: at('dist') },
    baseline: { type: 'string' },
    peers: { type: 'string' },
    save: { type: 'boolean', default: false },
  },
});

/** The engines that were asked for and are there. */
async function chooseEngines() {
  const wanted = (name) => options.engine.includes(name);
  const engines = [];
  if (wanted('node')) engines.push(node(process.execPath, process.versions.node));
  const newNode = findNewNode(options.peers);
  if (wanted('node-new') && newNode) {
    const version = (await run(newNode, ['--version'])).trim().replace('v', '');
    engines.push(node(newNode, version));
  }
  const executablePath = findChromium();
  if (wanted('chromium') && executablePath) {
    const version = await chromiumVersion(executablePath);
    const variants = options.variant === 'auto' ? ['relaxed', 'simd'] : [options.variant];
    engines.push(...variants.map((each) => inChromium(executablePath, each, version)));
  }
  return engines;
}

const folders = { dist: resolve(options.dist) };
for (const name of ['baseline', 'peers']) {
  if (options[name]) folders[name] = resolve(options[name]);
}
if (!existsSync(resolve(folders.dist, 'index.js'))) throw new Error(`no build in ${folders.dist}`);

const { version } = createRequire(import.meta.url)('../../package.json');
console.log(`posenc ${version}: median time of one call, and how many times as long others take`);
const runs = [];
for (const engine of await chooseEngines()) {
  const variant = options.variant === 'auto' ? engine.variant : options.variant;
  const job = { variant, only: options.only, quick: options.quick, cpuTime: options.cpu };
  console.log(`\n${engine.name}`);
  const rows = [];
  const end = await engine.run(job, folders, (row) => {
    rows.push(row);
    console.log(describeRow(row));
  });
  for (const [name, fault] of Object.entries(end.failures)) {
    console.log(`  ${name} does not start here: ${fault}`);
  }
  console.log(`  (build ${end.variant})`);
  runs.push({ engine: engine.name, ...end, rows });
}
if (options.save) console.log(`\nsaved ${await save(version, runs, folders.peers)}`);
