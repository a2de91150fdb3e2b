/** Who learns when, and one learner at work, without a browser. */
import { fillRecipe, type LabEncodingName, type Recipe } from 'posenc/lab';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Crew, type Helper, type Lesson } from '../../web/site/lab/crew.js';
import { Learner } from '../../web/site/lab/learner.js';
import type { Order, Report, Start } from '../../web/site/lab/protocol.js';
import type { KeptFile, KeptRun } from '../../web/site/lab/store.js';

/** A worker that says what it is told to say. */
class FakeHelper implements Helper {
  onmessage: Helper['onmessage'] = null;
  onerror: Helper['onerror'] = null;
  readonly orders: Order[] = [];
  terminated = false;
  postMessage(order: Order): void {
    this.orders.push(order);
  }
  terminate(): void {
    this.terminated = true;
  }
  tell(report: Report): void {
    this.onmessage?.({ data: report } as MessageEvent<Report>);
  }
  started(): void {
    const { recipe } = this.orders[0] as Start;
    this.tell({ type: 'started', recipe: fillRecipe(recipe), variant: 'simd', losses: [] });
  }
  get last(): string {
    return this.orders.at(-1)!.type;
  }
}

const names: LabEncodingName[] = ['rope', 'alibi', 'nope'];
const lessonOf = (encoding: LabEncodingName): Lesson => ({
  ...{ id: encoding, recipe: { task: 'copy', encoding, steps: 9 }, text: null, file: null },
});

function crewOf(limit: number) {
  const helpers: FakeHelper[] = [];
  const hire = () => {
    const helper = new FakeHelper();
    helpers.push(helper);
    return helper;
  };
  const crew = new Crew({ limit, hire, changed: () => {} });
  crews.push(crew);
  const states = () => crew.slots.map(({ state }) => state);
  return { crew, helpers, states };
}

const crews: Crew[] = [];
afterEach(() => {
  for (const crew of crews.splice(0)) crew.dispose();
  vi.useRealTimers();
});

describe('the crew', () => {
  it('has no more at work than it may; others wait', () => {
    const { crew, helpers, states } = crewOf(2);
    crew.begin(names.map(lessonOf), 'run');
    expect(states()).toEqual(['starting', 'starting', 'queued']);
    helpers[0]!.started();
    helpers[0]!.tell({ type: 'progress', step: 2, losses: [3, 2], pace: 1 });
    expect(crew.slots[0]).toMatchObject({ state: 'running', losses: [3, 2] });
    helpers[0]!.tell({ type: 'done' });
    expect(states()).toEqual(['done', 'starting', 'starting']);
  });

  it('pauses, steps and goes on, in turns', () => {
    const { crew, helpers, states } = crewOf(1);
    crew.begin(names.slice(0, 2).map(lessonOf), 'run');
    helpers[0]!.started();
    crew.pause();
    expect(states()).toEqual(['pausing', 'queued']);
    expect(helpers[0]!.last).toBe('pause');
    helpers[0]!.tell({ type: 'paused' });
    expect(states()).toEqual(['paused', 'queued']);
    expect(crew.working).toBe(false);
    crew.step();
    expect(helpers[0]!.last).toBe('step');
    helpers[0]!.tell({ type: 'paused' });
    // The next one is loaded, then does its step.
    expect(states()).toEqual(['paused', 'starting']);
    helpers[1]!.started();
    helpers[1]!.tell({ type: 'paused' });
    expect(helpers[1]!.last).toBe('step');
    helpers[1]!.tell({ type: 'paused' });
    expect(states()).toEqual(['paused', 'paused']);
    crew.resume();
    expect(states()).toEqual(['running', 'paused']);
    helpers[0]!.tell({ type: 'done' });
    expect(states()).toEqual(['done', 'running']);
  });

  it('cancels at once, and keeps those who are done', () => {
    const { crew, helpers, states } = crewOf(2);
    crew.begin(names.map(lessonOf), 'run');
    helpers[0]!.started();
    helpers[0]!.tell({ type: 'done' });
    crew.cancel();
    expect(states()).toEqual(['done', 'cancelled', 'cancelled']);
    expect(helpers.map(({ terminated }) => terminated)).toEqual([false, true, true]);
    // What comes late from one who was sent away is not heard.
    helpers[1]!.tell({ type: 'done' });
    expect(states()[1]).toBe('cancelled');
  });

  it('tells who failed, gives the place to the next, and takes the lesson again', async () => {
    const { crew, helpers, states } = crewOf(1);
    crew.begin(names.slice(0, 2).map(lessonOf), 'run');
    const exported = crew.export('rope');
    helpers[0]!.onerror?.({ message: 'gone' } as ErrorEvent);
    expect(await exported).toBeNull();
    expect(states()).toEqual(['broken', 'starting']);
    expect(crew.slots[0]!.fault).toEqual({ kind: 'lost', message: 'gone' });
    crew.add({ ...lessonOf('rope'), file: new Uint8Array(1) }, 'run');
    expect(states()).toEqual(['queued', 'starting']);
    helpers[1]!.tell({ type: 'done' });
    expect(helpers[2]!.orders[0]).toMatchObject({ type: 'start', id: 'rope', paused: false });
  });

  it('notices who says nothing any more', () => {
    vi.useFakeTimers();
    const { crew, helpers, states } = crewOf(1);
    crew.begin([lessonOf('rope')], 'run');
    helpers[0]!.started();
    vi.advanceTimersByTime(60_000);
    helpers[0]!.tell({ type: 'progress', step: 1, losses: [1], pace: 1 });
    vi.advanceTimersByTime(100_000);
    expect(states()).toEqual(['running']);
    vi.advanceTimersByTime(60_000);
    expect(states()).toEqual(['broken']);
  });
});

describe('a learner', () => {
  const recipe: Recipe = {
    ...{ task: 'copy', encoding: 'alibi', train: [1, 3], test: [3, 6], width: 16, heads: 2 },
    ...{ layers: 1, batch: 8, steps: 12, warmup: 2 },
  };

  function learn(start: Partial<Start>) {
    const reports: Report[] = [];
    const kept: { run: KeptRun; file: Omit<KeptFile, 'id'> }[] = [];
    const learner = new Learner({
      tell: (report) => reports.push(report),
      keep: (run, file) => Promise.resolve(void kept.push({ run, file })),
      breathe: () => new Promise((resolve) => setImmediate(resolve)),
    });
    learner.hear({
      type: 'start',
      id: 'x',
      recipe,
      text: null,
      file: null,
      paused: false,
      ...start,
    });
    const until = (type: Report['type']) =>
      vi.waitFor(() => expect(reports.map((report) => report.type)).toContain(type), 20_000);
    const losses = () =>
      reports.flatMap((report) =>
        report.type === 'started' || report.type === 'progress' ? report.losses : [],
      );
    return { learner, reports, kept, until, losses };
  }

  it('learns to the end, tries every size and keeps the run', async () => {
    const { reports, kept, until, losses } = learn({});
    await until('done');
    expect(losses()).toHaveLength(12);
    const scores = reports.filter((report) => report.type === 'scores').at(-1)!;
    expect(scores).toMatchObject({ step: 12, scores: [{ size: 3, examples: 64 }, { size: 6 }] });
    expect(kept.at(-1)!.run).toMatchObject({ id: 'x', step: 12, done: true });
  });

  it('steps, shows itself, and goes on elsewhere as if nothing had happened', async () => {
    const whole = learn({});
    await whole.until('done');
    const first = learn({ paused: true });
    await first.until('paused');
    for (let step = 1; step <= 3; step++) {
      first.reports.length = 0;
      first.learner.hear({ type: 'step' });
      await first.until('paused');
      expect(first.kept.at(-1)!.run.step).toBe(step);
    }
    first.learner.hear({ type: 'look', look: { layer: 5, head: 5 } });
    await first.until('view');
    const view = first.reports.find((report) => report.type === 'view')!.view;
    expect(view).toMatchObject({ step: 3, layer: 0, head: 1, layers: 1, heads: 2 });
    expect(view.tokens).toHaveLength(9);
    expect(view.weights).toHaveLength(81);
    // ALiBi of two heads: slopes 1/16 and 1/256.
    const distances = view.bias!.length / 2;
    expect(view.bias![2]).toBeCloseTo(-2 / 16);
    expect(view.bias![distances + 2]).toBeCloseTo(-2 / 256);

    const { file } = first.kept.at(-1)!.file;
    const second = learn({ file });
    await second.until('done');
    expect(second.losses()).toEqual(whole.losses());
    second.learner.hear({ type: 'export' });
    await second.until('exported');
  });

  it('says what is wrong with a text', async () => {
    const short = learn({
      recipe: { ...recipe, task: 'text', train: [8, 8], test: [8] },
      text: 'ab',
    });
    await short.until('failed');
    expect(short.reports.at(-1)).toMatchObject({ fault: { kind: 'short' } });
  });
});
