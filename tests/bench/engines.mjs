/** Runs jobs in engines: this Node, another one, Chromium. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { ROOT } from '../../scripts/lib/project.mjs';
import { serve } from '../../scripts/lib/serve.mjs';

const SCRIPT = fileURLToPath(new URL('in-node.mjs', import.meta.url));

/**
 * @typedef {object} Folders  paths on this machine
 * @property {string} dist @property {string} [baseline] @property {string} [peers]
 *
 * @typedef {object} Engine
 * @property {string} name  with its version
 * @property {'auto' | 'relaxed' | 'simd'} variant
 * @property {(job: object, folders: Folders, report: (row: object) => void) => Promise<object>} run
 *   gives what `runJob` gives
 */

const folderUrl = (path) => pathToFileURL(path.endsWith('/') ? path : `${path}/`).href;

/** @param {string} binary @param {string} version @returns {Engine} */
export function node(binary, version) {
  return {
    name: `Node ${version}`,
    variant: 'auto',
    run: (job, folders, report) => runInNode(binary, job, folders, report),
  };
}

async function runInNode(binary, job, folders, report) {
  const urls = Object.entries(folders).map(([name, path]) => [name, folderUrl(path)]);
  const mark = randomUUID();
  const full = JSON.stringify({ ...job, ...Object.fromEntries(urls), mark });
  const child = spawn(binary, [SCRIPT, full], { stdio: ['ignore', 'pipe', 'inherit'] });
  let end;
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith(mark)) continue;
    const message = JSON.parse(line.slice(mark.length));
    if (message.row) report(message.row);
    else end = message.end;
  }
  if (end === undefined) throw new Error('the run in Node broke off');
  return end;
}

/** @param {string} executablePath @param {'relaxed' | 'simd'} variant @param {string} version @returns {Engine} */
export function inChromium(executablePath, variant, version) {
  return {
    name: `Chromium ${version}`,
    variant,
    run: (job, folders, report) => runInChromium(executablePath, job, folders, report),
  };
}

/** Major version of a browser. */
export async function chromiumVersion(executablePath) {
  const browser = await launch(executablePath);
  const version = browser.version().split('.')[0];
  await browser.close();
  return version;
}

const launch = (executablePath) => chromium.launch({ executablePath, args: ['--no-sandbox'] });

async function runInChromium(executablePath, job, folders, report) {
  // Pages without isolation have no shared memory, so that no library takes more than one thread.
  const headers = { 'Access-Control-Allow-Origin': '*' };
  const names = Object.keys(folders);
  const servers = await Promise.all(names.map((name) => serve(folders[name], { headers })));
  const project = await serve(ROOT);
  const browser = await launch(executablePath);
  try {
    const page = await browser.newPage();
    await page.exposeFunction('report', report);
    await page.goto(`${project.address}tests/bench/page.html`);
    const urls = Object.fromEntries(names.map((name, i) => [name, servers[i].address]));
    return await page.evaluate(
      async (full) => {
        const { runJob } = await import('/tests/bench/job.mjs');
        const readBytes = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());
        return runJob(full, readBytes, globalThis.report);
      },
      { ...job, ...urls },
    );
  } finally {
    await browser.close();
    await Promise.all([project, ...servers].map(({ close }) => close()));
  }
}
