/** Runs rows of the benchmark beside the page, so that the page stays alive. */
import { load } from 'posenc';
import { measureRow } from '../../../tests/bench/bench.mjs';
import { plain } from '../../../tests/bench/contenders/plain.mjs';
import { posenc, posencCache } from '../../../tests/bench/contenders/posenc.mjs';
import { rows } from '../../../tests/bench/rows.mjs';
import type { Row } from './results.js';

/** What the page asks for. */
export interface Order {
  readonly variant: 'auto' | 'simd' | 'relaxed';
  /** Rows by id. */
  readonly ids: readonly string[];
}

/** What the worker tells, in this order; it ends with the last or a failure. */
export type Report =
  | { readonly type: 'started'; readonly variant: string }
  | { readonly type: 'row'; readonly row: Row }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly message: string };

const tell = (report: Report): void => postMessage(report);

async function run({ variant, ids }: Order): Promise<void> {
  const pe = await load({ variant });
  const bench = {
    variant: pe.info.variant,
    own: posenc(pe),
    others: [posencCache(pe), plain],
    fresh: () => Promise.reject(new Error('memory is not measured in a page')),
  };
  tell({ type: 'started', variant: pe.info.variant });
  for (const row of rows) {
    if (ids.includes(row.id)) tell({ type: 'row', row: (await measureRow(row, bench)) as Row });
  }
  tell({ type: 'done' });
}

onmessage = ({ data }: MessageEvent<Order>) => {
  run(data).catch((error: unknown) => {
    tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  });
};
