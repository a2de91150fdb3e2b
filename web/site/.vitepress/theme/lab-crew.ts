/** The crew of the page Lab, and the runs that this browser keeps, as Vue sees them. */
import { onBeforeUnmount, onMounted, ref, shallowRef } from 'vue';
import { Crew, type Lesson, type Slot } from '../../lab/crew.js';
import { forgetRuns, keptFile, keptRuns, type KeptRun } from '../../lab/store.js';

/** Learners at once where the machine has more cores. */
const MOST_WORKERS = 8;
/** Pictures are due at most so often while learners tell, milliseconds. */
const DRAW_AFTER = 100;
/** The list of kept runs is read again at most so often, milliseconds. */
const READ_AFTER = 1000;

/** What tells one run from others, in the list or at work. */
export type RunName = Pick<Slot, 'id' | 'recipe' | 'scores'>;

/** Makes a crew that lives as long as the component. */
export function useCrew() {
  /** Goes up with every picture that is due. */
  const version = ref(0);
  const kept = shallowRef<readonly KeptRun[]>([]);
  /** Why nothing can be kept. */
  const unkept = ref<string | null>(null);
  const limit = ref(1);
  const crew = shallowRef<Crew>();
  let drawTimer: ReturnType<typeof setTimeout> | undefined;
  let readTimer: ReturnType<typeof setTimeout> | undefined;

  const refuse = (error: unknown) =>
    (unkept.value = error instanceof Error ? error.message || error.name : String(error));

  async function read(): Promise<void> {
    try {
      kept.value = await keptRuns();
      unkept.value = null;
    } catch (error) {
      refuse(error);
    }
  }

  function draw(): void {
    clearTimeout(drawTimer);
    drawTimer = undefined;
    version.value += 1;
  }

  function readSoon(): void {
    readTimer ??= setTimeout(() => {
      readTimer = undefined;
      void read();
    }, READ_AFTER);
  }

  async function forget(ids: readonly string[]): Promise<void> {
    for (const id of ids) crew.value?.remove(id);
    await forgetRuns(ids).catch(refuse);
    await read();
  }

  /** What a kept run goes on with; `null` = it is gone. */
  async function lessonOf(run: RunName): Promise<Lesson | null> {
    const found = await keptFile(run.id).catch(() => undefined);
    if (found === undefined) return null;
    const { id, recipe, scores } = run;
    return { id, recipe, scores, file: found.file, text: found.text };
  }

  const hire = () =>
    new Worker(new URL('../../lab/worker.ts', import.meta.url), { type: 'module' });

  /** A crew of one for a single errand. */
  const helper = () => new Crew({ limit: 1, hire, changed: () => {} });

  const keep = () => crew.value?.keep();
  const keepWhenHidden = () => document.hidden && keep();
  onMounted(() => {
    limit.value = Math.min(MOST_WORKERS, Math.max(1, navigator.hardwareConcurrency || 1));
    crew.value = new Crew({
      limit: limit.value,
      hire,
      changed(report) {
        // What the reader did is seen at once.
        if (report === null) draw();
        else drawTimer ??= setTimeout(draw, DRAW_AFTER);
        if (report?.type === 'kept') readSoon();
        if (report?.type === 'unkept') unkept.value = report.message;
      },
    });
    void read();
    addEventListener('pagehide', keep);
    document.addEventListener('visibilitychange', keepWhenHidden);
  });
  onBeforeUnmount(() => {
    clearTimeout(drawTimer);
    clearTimeout(readTimer);
    crew.value?.dispose();
    removeEventListener('pagehide', keep);
    document.removeEventListener('visibilitychange', keepWhenHidden);
  });

  return { crew, version, kept, unkept, limit, forget, lessonOf, helper };
}
