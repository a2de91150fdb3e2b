/** Writes what was measured to results/latest.json, which the site shows. */
import { readFileSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { at } from '../../scripts/lib/project.mjs';

const FILE = 'tests/bench/results/latest.json';
const PEERS = 'tests/bench/peers/package.json';

/** Numbers of four digits: more is noise. */
const rounded = (_, value) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Versions of the installed libraries. */
function versionsOf(peers) {
  if (peers === undefined) return {};
  const names = Object.keys(readJson(at(PEERS)).dependencies);
  const version = (name) => readJson(join(peers, 'node_modules', name, 'package.json')).version;
  return Object.fromEntries(names.map((name) => [name, version(name)]));
}

/**
 * @param {string} version  of the package
 * @param {{ engine: string, variant: string, failures: Record<string, string>, rows: object[] }[]} runs
 * @param {string} [peers]  folder of the other libraries
 * @returns {Promise<string>} the file's path in the project
 */
export async function save(version, runs, peers) {
  const [{ model }] = cpus();
  const results = {
    date: new Date().toISOString().slice(0, 10),
    posenc: version,
    peers: versionsOf(peers),
    machine: {
      cpu: model.trim(),
      threads: availableParallelism(),
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      system: `${platform()} ${arch()}`,
    },
    runs,
  };
  const path = at(FILE);
  const text = JSON.stringify(results, rounded);
  writeFileSync(path, await format(text, { ...(await resolveConfig(path)), filepath: path }));
  return FILE;
}
