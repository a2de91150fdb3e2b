/** Learners at work: one worker for each encoding, no more at once than the machine has cores. */
import type { FullRecipe, LabEncodingName, Recipe, Score } from 'posenc/lab';
import type { ExportedFiles, Fault, Look, Order, Report, View } from './protocol.js';

/** What a learner is doing. */
export type SlotState =
  'queued' | 'starting' | 'running' | 'pausing' | 'paused' | 'done' | 'cancelled' | 'broken';

/** One learner as the page shows it. */
export interface Slot {
  readonly id: string;
  readonly encoding: LabEncodingName;
  readonly recipe: Recipe | FullRecipe;
  readonly state: SlotState;
  readonly losses: readonly number[];
  readonly scores: readonly Score[];
  /** Milliseconds of one step, lately. */
  readonly pace: number;
  readonly view: View | null;
  readonly fault: Fault | null;
}

/** What is to be learned. */
export interface Lesson {
  readonly id: string;
  readonly recipe: Recipe | FullRecipe;
  readonly text: string | null;
  /** Of a run that goes on. */
  readonly file: Uint8Array<ArrayBuffer> | null;
  /** Known before the learner tells. */
  readonly scores?: readonly Score[];
}

/** As much of a `Worker` as is used. */
export interface Helper {
  onmessage: ((event: MessageEvent<Report>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(order: Order): void;
  terminate(): void;
}

interface Seat extends Slot {
  state: SlotState;
  recipe: Recipe | FullRecipe;
  losses: number[];
  scores: readonly Score[];
  pace: number;
  view: View | null;
  fault: Fault | null;
  lesson: Lesson;
  want: 'run' | 'step' | 'rest';
  helper: Helper | null;
  /** Looks at the clock without news. */
  silence: number;
  exports: ((files: ExportedFiles | null) => void)[];
}

/** A learner without news for so many looks, this far apart in milliseconds, is lost. */
const LOOKS = 12;
const LOOK_EVERY = 10_000;

const busy: readonly SlotState[] = ['starting', 'running', 'pausing'];
/** States that still come to something by themselves or on request. */
const open: readonly SlotState[] = ['queued', 'paused', ...busy];

/** Gives lessons to workers, in order, and knows what each of them is doing. */
export class Crew {
  readonly #seats: Seat[] = [];
  readonly #limit: number;
  readonly #hire: () => Helper;
  readonly #changed: (report: Report | null) => void;
  readonly #watch: ReturnType<typeof setInterval>;
  #looked: { id: string; look: Look } | null = null;

  constructor(options: {
    /** Learners at once. */
    readonly limit: number;
    readonly hire: () => Helper;
    /** Told after every change, with the report that made it. */
    readonly changed: (report: Report | null) => void;
  }) {
    this.#limit = options.limit;
    this.#hire = options.hire;
    this.#changed = options.changed;
    this.#watch = setInterval(() => this.#lookAround(), LOOK_EVERY);
  }

  get slots(): readonly Slot[] {
    return this.#seats;
  }

  /** Whether anybody learns or is about to. */
  get working(): boolean {
    return this.#seats.some(
      ({ state, want }) => busy.includes(state) || (state === 'queued' && want !== 'rest'),
    );
  }

  /** Whether there is anything to go on with. */
  get waiting(): boolean {
    return this.#seats.some(({ state }) => state === 'paused' || state === 'queued');
  }

  /** Takes lessons in place of all that were there. */
  begin(lessons: readonly Lesson[], want: 'run' | 'step'): void {
    for (const seat of this.#seats) this.#dismiss(seat);
    this.#seats.length = 0;
    for (const lesson of lessons) this.#seats.push(seatOf(lesson, want));
    this.#fill();
  }

  /** Takes one lesson more, or the same one again. */
  add(lesson: Lesson, want: 'run' | 'rest'): void {
    const seat = seatOf(lesson, want);
    const place = this.#seats.findIndex(({ id }) => id === lesson.id);
    if (place < 0) this.#seats.push(seat);
    else {
      this.#dismiss(this.#seats[place]!);
      this.#seats[place] = seat;
    }
    // A file is opened even if nothing is to be learned yet.
    if (want === 'rest') this.#open(seat);
    this.#fill();
  }

  /** Everybody stops after the step at hand. */
  pause(): void {
    for (const seat of this.#seats) {
      seat.want = 'rest';
      if (seat.state === 'starting' || seat.state === 'running')
        this.#order(seat, 'pause', 'pausing');
    }
    this.#changed(null);
  }

  /** Everybody goes on. */
  resume(): void {
    for (const seat of this.#seats) seat.want = 'run';
    this.#fill();
  }

  /** Everybody who waits does one step. */
  step(): void {
    for (const seat of this.#seats) seat.want = 'step';
    this.#fill();
  }

  /** Stops those who are not done, at once; what was kept of them stays. */
  cancel(): void {
    for (const seat of this.#seats) {
      if (!open.includes(seat.state)) continue;
      this.#dismiss(seat);
      seat.state = 'cancelled';
    }
    this.#changed(null);
  }

  /** Sends one learner away. */
  remove(id: string): void {
    const place = this.#seats.findIndex((seat) => seat.id === id);
    if (place < 0) return;
    this.#dismiss(this.#seats[place]!);
    this.#seats.splice(place, 1);
    this.#fill();
  }

  /** Looks into one learner; nobody else is looked into. */
  look(id: string | null, look: Look): void {
    const before = this.#looked;
    this.#looked = id === null ? null : { id, look };
    for (const seat of this.#seats) {
      if (seat.id === id) seat.helper?.postMessage({ type: 'look', look });
      else if (seat.id === before?.id) seat.helper?.postMessage({ type: 'look', look: null });
    }
  }

  /** Asks everybody to keep what they have. */
  keep(): void {
    for (const seat of this.#seats) {
      if (open.includes(seat.state)) seat.helper?.postMessage({ type: 'keep' });
    }
  }

  /** The model of a learner as files; `null` = it is not at hand. */
  export(id: string): Promise<ExportedFiles | null> {
    const seat = this.#seats.find((each) => each.id === id);
    const helper = seat?.helper;
    if (!seat || !helper) return Promise.resolve(null);
    return new Promise((resolve) => {
      seat.exports.push(resolve);
      helper.postMessage({ type: 'export' });
    });
  }

  /** Sends everybody away. */
  dispose(): void {
    clearInterval(this.#watch);
    for (const seat of this.#seats) this.#dismiss(seat);
  }

  /** Gives work to those who want it, in order, as long as there is room. */
  #fill(): void {
    let room = this.#limit - this.#seats.filter(({ state }) => busy.includes(state)).length;
    for (const seat of this.#seats) {
      if (room <= 0) break;
      if (seat.want === 'rest') continue;
      if (seat.state === 'queued') this.#open(seat);
      else if (seat.state === 'paused') {
        this.#order(seat, seat.want === 'run' ? 'resume' : 'step', 'running');
        if (seat.want === 'step') seat.want = 'rest';
      } else continue;
      room -= 1;
    }
    this.#changed(null);
  }

  #order(seat: Seat, type: 'pause' | 'resume' | 'step', state: SlotState): void {
    seat.state = state;
    seat.helper?.postMessage({ type });
  }

  #open(seat: Seat): void {
    const { id, recipe, text, file } = seat.lesson;
    const helper = this.#hire();
    seat.helper = helper;
    seat.state = 'starting';
    helper.onmessage = ({ data }) => this.#hear(seat, data);
    helper.onerror = ({ message }) =>
      this.#hear(seat, { type: 'failed', fault: { kind: 'lost', message: message ?? '' } });
    helper.postMessage({ type: 'start', id, recipe, text, file, paused: seat.want !== 'run' });
    if (this.#looked?.id === id) helper.postMessage({ type: 'look', look: this.#looked.look });
  }

  #hear(seat: Seat, report: Report): void {
    if (seat.helper === null) return;
    seat.silence = 0;
    switch (report.type) {
      case 'started':
        if (seat.state === 'starting' && seat.want === 'run') seat.state = 'running';
        seat.recipe = report.recipe;
        seat.losses = [...report.losses];
        break;
      case 'progress':
        seat.losses.push(...report.losses);
        seat.pace = report.pace;
        break;
      case 'scores':
        seat.scores = report.scores;
        break;
      case 'view':
        seat.view = report.view;
        break;
      case 'paused':
        seat.state = 'paused';
        return this.#fillAfter(report);
      case 'done':
        seat.state = 'done';
        return this.#fillAfter(report);
      case 'exported':
        for (const resolve of seat.exports.splice(0)) resolve(report.files);
        break;
      case 'failed':
        this.#dismiss(seat);
        seat.state = 'broken';
        seat.fault = report.fault;
        return this.#fillAfter(report);
      case 'kept':
      case 'unkept':
    }
    this.#changed(report);
  }

  #fillAfter(report: Report): void {
    this.#fill();
    this.#changed(report);
  }

  #dismiss(seat: Seat): void {
    seat.helper?.terminate();
    seat.helper = null;
    for (const resolve of seat.exports.splice(0)) resolve(null);
  }

  /** Engines may end a worker without a word, when memory runs out. */
  #lookAround(): void {
    for (const seat of this.#seats) {
      if (!busy.includes(seat.state)) continue;
      seat.silence += 1;
      if (seat.silence > LOOKS) {
        this.#hear(seat, { type: 'failed', fault: { kind: 'lost', message: '' } });
      }
    }
  }
}

const seatOf = (lesson: Lesson, want: Seat['want']): Seat => ({
  ...{ id: lesson.id, encoding: lesson.recipe.encoding, recipe: lesson.recipe, lesson, want },
  ...{ state: 'queued', losses: [], scores: lesson.scores ?? [], pace: 0, view: null, fault: null },
  ...{ helper: null, silence: 0, exports: [] },
});
