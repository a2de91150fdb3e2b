/** Opens models and runs them beside the page, so that the page stays alive. */
import { load, type Posenc } from 'posenc';
import { startRun } from 'posenc/lab';
import { openExport, openFiles, type Following } from './checkpoint.js';
import { failureOf, PageFault } from './failures.js';
import { compare, forget, look, mistake, nextTurn, write, type At } from './jobs.js';
import { factsOf, type Opened } from './opened.js';
import type { FromWorker, JobName, Jobs, ToWorker } from './protocol.js';
import { lessons } from './texts.js';

/** The model that learns in the page: a quarter of a minute, and it knows its text by heart. */
const recipe = {
  ...({ task: 'text', encoding: 'rope', width: 64, layers: 2, heads: 4, batch: 16 } as const),
  ...{ rate: 5e-3, warmup: 20 },
};
const sizes = {
  zh: { steps: 160, length: 48 },
  en: { steps: 240, length: 64 },
} as const;

let module: Promise<Posenc> | undefined;
let opened: Opened | undefined;
/** Models open one after the other. */
let opening: Promise<unknown> = Promise.resolve();
const running = new Map<number, AbortController>();

const tell = (message: FromWorker): void => postMessage(message);

/** The model's own module; a failed start is tried again. */
function start(): Promise<Posenc> {
  module ??= load().catch((error: unknown) => {
    module = undefined;
    throw error;
  });
  return module;
}

async function open(
  { source, dtype, lang }: Jobs['open']['order'],
  signal: AbortSignal,
  news: (news: Jobs['open']['news']) => void,
): Promise<Jobs['open']['result']> {
  const pe = await start();
  if (signal.aborted) throw new PageFault('stopped');
  opened?.dispose();
  opened = undefined;
  forget();
  const before = performance.now();
  const following = { signal, onShare: (share: number) => news({ share }) };
  const model = await openSource(pe, source, dtype, following, news);
  if (model.model.spec.decoder === undefined || model.model.spec.encoder !== undefined) {
    const { modelType } = model.model;
    model.dispose();
    throw new PageFault('decoder', modelType);
  }
  opened = model;
  return factsOf(model, lang, performance.now() - before);
}

async function openSource(
  pe: Posenc,
  source: Jobs['open']['order']['source'],
  dtype: Jobs['open']['order']['dtype'],
  following: Following,
  news: (news: Jobs['open']['news']) => void,
): Promise<Opened> {
  switch (source.kind) {
    case 'files':
      return openFiles(pe, source.files, dtype, following);
    case 'train':
      return train(pe, source.lang, following.signal, news);
    case 'shipped': {
      const response = await fetch(source.url, { signal: following.signal }).catch(() => null);
      if (!response?.ok) {
        throw new PageFault(following.signal.aborted ? 'stopped' : 'fetch', source.url);
      }
      return openExport(pe, new Uint8Array(await response.arrayBuffer()));
    }
  }
}

/** Stopped halfway, it stays as it is then. */
async function train(
  pe: Posenc,
  lang: 'zh' | 'en',
  signal: AbortSignal,
  news: (news: Jobs['open']['news']) => void,
): Promise<Opened> {
  const { steps, length } = sizes[lang];
  const text = lessons[lang];
  const lengths = { train: [length, length] as const, test: [length] };
  const run = await startRun({ pe, text, recipe: { ...recipe, ...lengths, steps } });
  while (run.steps < steps && !signal.aborted) {
    const { step, loss } = run.step();
    news({ share: step / steps, loss });
    await nextTurn();
  }
  const { model, options, symbols } = run;
  return { model, options, symbols, lesson: lang, dispose: () => run.dispose() };
}

const jobs: {
  readonly [Name in Exclude<JobName, 'open'>]: (
    at: At<Name>,
  ) => Jobs[Name]['result'] | Promise<Jobs[Name]['result']>;
} = { write, look, compare, mistake };

type Result = Jobs[JobName]['result'];

async function run(message: Exclude<ToWorker, { name: 'stop' }>): Promise<Result> {
  const { job, name, order } = message;
  const { signal } = running.get(job)!;
  const news = (told: Jobs[JobName]['news']): void => tell({ job, kind: 'news', news: told });
  if (name === 'open') {
    const result = opening.catch(() => undefined).then(() => open(order, signal, news));
    opening = result;
    return result;
  }
  const pe = await start();
  if (opened === undefined) throw new PageFault('other');
  const work = jobs[name] as (at: unknown) => Result | Promise<Result>;
  return work({ pe, opened, order, signal, tell: news });
}

onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.name === 'stop') {
    running.get(data.job)?.abort();
    return;
  }
  const { job } = data;
  running.set(job, new AbortController());
  run(data)
    .then((result) => tell({ job, kind: 'done', result }))
    .catch((error: unknown) => tell({ job, kind: 'failed', failure: failureOf(error) }))
    .finally(() => running.delete(job));
};
