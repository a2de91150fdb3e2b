/**
 * Measures rows in the engine it runs in: every contender is checked against float64, the best of its
 * ways is taken, and all take turns with the limit of the machine.
 */
import { limits } from './limits.mjs';
import { median, race, ratio, warmUp } from './measure.mjs';
import { measureMemory } from './memory.mjs';
import * as references from './reference.mjs';

/** What the same work without the addition is called. */
const WITHOUT = 'without';
const LIMIT = 'limit';
const NOT_YET = { zh: '这个包还做不到', en: 'the package cannot do it yet' };

/**
 * @typedef {{ call: import('./measure.mjs').Call, result: () => Float32Array | Promise<Float32Array>,
 *   way?: string, dispose?: () => void }} Prepared  one way to do a work
 * @typedef {{ name: string, candidates: (work: object) => (() => Prepared | Promise<Prepared>)[] }} Contender
 */

/**
 * @param {import('./rows.mjs').Row} row
 * @param {{ variant: string, own: Contender, others: Contender[], fresh: () => Promise<object> }} bench
 *   `own` is the module of a `variant` that is measured; `fresh` loads another instance of it
 * @returns {Promise<object>} what results/latest.json holds of a row
 */
export async function measureRow(row, { variant, own, others, fresh }) {
  const { id, group, work, versus, goals } = row;
  const head = { id, group, work, goals };
  if (row.pending !== undefined) return { ...head, pending: row.pending };
  if (work.kind.endsWith('memory')) return { ...head, bytes: await measureMemory(work, fresh) };
  if (own.candidates(work).length === 0) return { ...head, pending: NOT_YET };

  const failures = {};
  const prepared = { [own.name]: await prepare(own, work) };
  try {
    if (versus) prepared[WITHOUT] = await prepare(own, versus);
    for (const other of others) {
      const best = await prepare(other, work).catch((error) => {
        failures[other.name] = error.message;
      });
      if (best) prepared[other.name] = best;
    }
    const limit = row.limit && limits[row.limit](variant, row.amount);
    const calls = Object.entries(prepared).map(([name, { call }]) => [name, call]);
    if (limit) calls.unshift([LIMIT, limit.call]);
    const { [LIMIT]: limitSamples, ...samples } = await race(Object.fromEntries(calls));

    const ours = samples[own.name];
    const result = { ...head, ms: {}, ratios: {}, ways: {}, failures };
    for (const [name, times] of Object.entries(samples)) {
      result.ms[name] = median(times);
      if (name !== own.name) result.ratios[name] = ratio(times, ours);
      if (prepared[name].way) result.ways[name] = prepared[name].way;
    }
    if (limit) {
      // How long the limit takes for as much as the work needs, against the work.
      const needed = limitSamples.map((time) => (time * row.amount) / limit.amount);
      const { name, unit } = limit;
      result.limit = { name, unit, rate: limit.amount / median(limitSamples) / 1e6 };
      result.rate = row.amount / result.ms[own.name] / 1e6;
      result.share = ratio(needed, ours);
    }
    return result;
  } finally {
    for (const { dispose } of Object.values(prepared)) dispose?.();
  }
}

/** The fastest of a contender's ways to do a work, each checked; undefined where there is none. */
async function prepare({ name, candidates }, work) {
  const makers = candidates(work);
  if (makers.length === 0) return undefined;
  const expected = references[work.kind](work);
  let best;
  const faults = [];
  for (const make of makers) {
    let way;
    try {
      way = await make();
      await way.call();
      references.checkClose(work.kind, await way.result(), expected);
      const time = makers.length > 1 ? await warmUp(way.call) : 0;
      if (best === undefined || time < best.time) {
        best?.dispose?.();
        best = { ...way, time };
      } else way.dispose?.();
    } catch (error) {
      way?.dispose?.();
      faults.push(`${way?.way ?? name}: ${error.message}`);
    }
  }
  if (best === undefined && faults.length > 0) throw new Error(faults.join('; '));
  return best;
}
