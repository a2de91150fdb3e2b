/** Measures chosen rows with one build in the engine this runs in: Node, or a page or worker of a browser. */
import { measureRow } from './bench.mjs';
import { plain } from './contenders/plain.mjs';
import { posenc, posencCache } from './contenders/posenc.mjs';
import { loadPeers } from './contenders/peers.mjs';
import { chooseRows } from './rows.mjs';

/**
 * @typedef {object} Job
 * @property {'auto' | 'relaxed' | 'simd'} variant  which build
 * @property {string} dist  address of the folder with the built package
 * @property {string} [baseline]  address of the folder of another build to compare with
 * @property {string} [peers]  address of the folder where other libraries are installed
 * @property {string[]} only  parts of ids of rows; none = all
 * @property {boolean} [quick]  without plain JavaScript
 */

/**
 * @param {Job} job
 * @param {(url: string) => Promise<Uint8Array>} readBytes
 * @param {(row: object) => void} report  takes what was measured of each row
 * @returns {Promise<{ variant: string, failures: Record<string, string> }>}  and which peers did not start
 */
export async function runJob(job, readBytes, report) {
  const { load } = await import(`${job.dist}index.js`);
  const pe = await load({ variant: job.variant });
  const { variant } = pe.info;
  const own = posenc(pe);
  const fresh = async () =>
    load({ variant, wasmBinary: await readBytes(`${job.dist}kernels-${variant}.wasm`) });

  const others = [posencCache(pe), ...(job.quick ? [] : [plain])];
  if (job.baseline) {
    const before = await import(`${job.baseline}index.js`);
    others.push(posenc(await before.load({ variant }), 'baseline'));
  }
  const peers = job.peers ? await loadPeers(job.peers) : { contenders: [], failures: {} };
  others.push(...peers.contenders);

  for (const row of chooseRows(job.only)) {
    report(await measureRow(row, { variant, own, others, fresh }));
  }
  return { variant, failures: peers.failures };
}
