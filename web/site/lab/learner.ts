/** One model that learns in small slices, so that orders come through between them. */
import { load } from 'posenc';
import { resumeRun, startRun, type LabRun, type Score } from 'posenc/lab';
import { faultOf, type Look, type Order, type Report, type Start } from './protocol.js';
import type { KeptFile, KeptRun } from './store.js';
import { viewOf } from './view.js';

/** Steps go on for so long before orders are heard, unless a single one takes longer; milliseconds. */
const SLICE = 40;
/** The page is told at most so often. */
const TELL_AFTER = 100;
/** Runs are kept so often, for the first time sooner. */
const KEEP_AFTER = 5000;
const FIRST_KEEP = 1000;
/** Trials and views may take one part in so many of the time. */
const SHARE = 5;
const TRY_AFTER = 1000;
const SHOW_AFTER = 500;
/** Examples of a trial on the way, and of the last one. */
const FEW = 16;
const MANY = 64;

/** Where a learner tells what it does, and keeps it. */
export interface Surroundings {
  readonly tell: (report: Report) => void;
  readonly keep: (run: KeptRun, file: Omit<KeptFile, 'id'>) => Promise<void>;
  /** Lets orders in. */
  readonly breathe: () => Promise<void>;
}

/** Hears orders and tells reports; see {@link Order} and {@link Report}. */
export class Learner {
  readonly #around: Surroundings;
  /** There once it is ready. */
  #run!: LabRun;
  #ready = false;
  #start!: Start;
  /** Steps that may be done. */
  #allowed = 0;
  #paused = false;
  #look: Look | null = null;
  #unseen = false;
  #losses: number[] = [];
  #scores: readonly Score[] = [];
  #scoredAt = -1;
  #scoredFinely = false;
  #tellAt = 0;
  #tryAt = 0;
  #showAt = 0;
  #keepAt = 0;
  #keeping = false;
  #pace = 0;
  #exportSoon = false;
  #wake = (): void => {};

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Takes an order; the first one is `start`. */
  hear(order: Order): void {
    switch (order.type) {
      case 'start':
        // Orders that come while the model is made already count.
        this.#allowed = order.paused ? 0 : Infinity;
        this.#live(order).catch((error: unknown) =>
          this.#around.tell({ type: 'failed', fault: faultOf(error) }),
        );
        return;
      case 'pause':
        this.#allowed = 0;
        break;
      case 'resume':
        this.#allowed = Infinity;
        break;
      case 'step':
        this.#allowed = 1;
        break;
      case 'look':
        [this.#look, this.#unseen] = [order.look, order.look !== null];
        break;
      case 'keep':
        // A model that is not ready yet has nothing to keep.
        if (this.#ready) void this.#keep();
        return;
      case 'export':
        if (this.#ready) this.#export();
        else this.#exportSoon = true;
        return;
    }
    this.#wake();
  }

  async #live(start: Start): Promise<void> {
    const pe = await load({ variant: 'auto' });
    const { recipe, file, text } = start;
    const own = text === null ? {} : { text };
    this.#start = start;
    this.#run =
      file === null
        ? await startRun({ pe, recipe, ...own })
        : await resumeRun({ pe, file, ...own });
    this.#ready = true;
    this.#around.tell({
      type: 'started',
      recipe: this.#run.recipe,
      variant: pe.info.variant,
      losses: [...this.#run.losses],
    });
    if (this.#exportSoon) this.#export();
    this.#keepAt = performance.now() + FIRST_KEEP;
    for (;;) {
      await this.#around.breathe();
      if (this.#allowed > 0 && !this.#finished) await this.#slice();
      else await this.#rest();
    }
  }

  get #finished(): boolean {
    return this.#run.steps >= this.#run.recipe.steps;
  }

  /** Some steps, and what is due after them. */
  async #slice(): Promise<void> {
    this.#paused = false;
    const run = this.#run;
    const begun = performance.now();
    let steps = 0;
    let now: number;
    do {
      this.#losses.push(run.step().loss);
      this.#allowed -= 1;
      steps += 1;
      now = performance.now();
    } while (this.#allowed > 0 && !this.#finished && now < begun + SLICE);
    this.#pace = (now - begun) / steps;
    if (now >= this.#tellAt) this.#tellProgress();
    if (now >= this.#tryAt) await this.#try(FEW);
    if (this.#look !== null && now >= this.#showAt) this.#show();
    if (performance.now() >= this.#keepAt) void this.#keep();
  }

  /** Nothing to learn: everything is brought up to date, then an order is waited for. */
  async #rest(): Promise<void> {
    if (!this.#paused) {
      if (this.#losses.length > 0) this.#tellProgress();
      const fine = this.#finished;
      const stale = this.#scoredAt !== this.#run.steps || (fine && !this.#scoredFinely);
      if (stale) await this.#try(fine ? MANY : FEW);
      if (this.#allowed > 0 && !this.#finished) return;
      this.#paused = true;
      this.#unseen = this.#look !== null;
      await this.#keep();
      this.#around.tell({ type: this.#finished ? 'done' : 'paused' });
    }
    if (this.#unseen) this.#show();
    else await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  #tellProgress(): void {
    const losses = this.#losses;
    this.#losses = [];
    this.#around.tell({ type: 'progress', step: this.#run.steps, losses, pace: this.#pace });
    this.#tellAt = performance.now() + TELL_AFTER;
  }

  /** Tries every size, with a breath between them. */
  async #try(examples: number): Promise<void> {
    const begun = performance.now();
    const step = this.#run.steps;
    const scores: Score[] = [];
    for (const size of this.#run.recipe.test) {
      scores.push(this.#run.evaluate(size, { examples }));
      await this.#around.breathe();
    }
    [this.#scores, this.#scoredAt, this.#scoredFinely] = [scores, step, examples === MANY];
    this.#around.tell({ type: 'scores', step, scores });
    const now = performance.now();
    this.#tryAt = now + Math.max(TRY_AFTER, SHARE * (now - begun));
  }

  #show(): void {
    this.#unseen = false;
    if (this.#look === null) return;
    const begun = performance.now();
    this.#around.tell({ type: 'view', view: viewOf(this.#run, this.#start.text, this.#look) });
    const now = performance.now();
    this.#showAt = now + Math.max(SHOW_AFTER, SHARE * (now - begun));
  }

  async #keep(): Promise<void> {
    this.#keepAt = performance.now() + KEEP_AFTER;
    if (this.#keeping) return;
    this.#keeping = true;
    const { recipe, steps } = this.#run;
    const kept = {
      ...{ id: this.#start.id, recipe, step: steps, done: this.#finished },
      ...{ scores: this.#scores, updated: Date.now() },
    };
    try {
      await this.#around.keep(kept, { file: this.#run.save(), text: this.#start.text });
      this.#around.tell({ type: 'kept' });
    } catch (error) {
      this.#around.tell({ type: 'unkept', message: faultOf(error).message });
    }
    this.#keeping = false;
  }

  #export(): void {
    try {
      const { config, weights } = this.#run.export();
      this.#around.tell({
        type: 'exported',
        files: { config: JSON.stringify(config, null, 2) + '\n', weights },
      });
    } catch (error) {
      this.#around.tell({ type: 'failed', fault: faultOf(error) });
    }
  }
}
