/** Asks the worker of the page Small model: one promise per job, with news on the way. */
import type { Failure, FromWorker, JobName, Jobs, ToWorker } from '../../small/protocol.js';

/** A job that did not come to its end. */
export class JobFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** A job on its way. */
export interface Job<Name extends JobName> {
  readonly result: Promise<Jobs[Name]['result']>;
  /** Ends it as soon as the worker can; the result then is what there is so far, or a failure. */
  stop(): void;
}

interface Waiting {
  readonly news: (news: never) => void;
  readonly done: (result: never) => void;
  readonly failed: (failure: Failure) => void;
}

/** The worker, which starts with the first job. */
export class SmallClient {
  #worker: Worker | undefined;
  #jobs = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** Asks for a job; `news` hears what is told on the way. */
  ask<Name extends JobName>(
    name: Name,
    order: Jobs[Name]['order'],
    news: (news: Jobs[Name]['news']) => void = () => {},
  ): Job<Name> {
    const worker = (this.#worker ??= this.#start());
    const job = ++this.#jobs;
    const result = new Promise<Jobs[Name]['result']>((resolve, reject) => {
      this.#waiting.set(job, {
        news,
        done: resolve,
        failed: (failure) => reject(new JobFailure(failure)),
      });
    });
    worker.postMessage({ job, name, order });
    return { result, stop: () => worker.postMessage({ job, name: 'stop' } satisfies ToWorker) };
  }

  /** Ends everything. */
  end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#waiting.clear();
  }

  #start(): Worker {
    const worker = new Worker(new URL('../../small/worker.ts', import.meta.url), {
      type: 'module',
    });
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#hear(data);
    worker.onerror = ({ message }) => {
      const failure = { reason: 'other', message: message || 'the worker did not start' } as const;
      const all = [...this.#waiting.values()];
      this.end();
      for (const { failed } of all) failed(failure);
    };
    return worker;
  }

  #hear(message: FromWorker): void {
    const waiting = this.#waiting.get(message.job);
    if (message.kind === 'news') {
      waiting?.news(message.news as never);
      return;
    }
    this.#waiting.delete(message.job);
    if (message.kind === 'done') waiting?.done(message.result as never);
    else waiting?.failed(message.failure);
  }
}

/** What to show of whatever was thrown. */
export const failureIn = (error: unknown): Failure =>
  error instanceof JobFailure ? error.failure : { reason: 'other', message: String(error) };
