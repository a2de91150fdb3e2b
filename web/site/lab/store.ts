/** Runs as this browser keeps them, in IndexedDB: a list that is read at once, and the files beside it. */
import type { FullRecipe, Score } from 'posenc/lab';

/** A run in the list. */
export interface KeptRun {
  readonly id: string;
  readonly recipe: FullRecipe;
  readonly step: number;
  readonly done: boolean;
  /** The newest ones, by size. */
  readonly scores: readonly Score[];
  /** Milliseconds since 1970. */
  readonly updated: number;
}

/** With which a run goes on. */
export interface KeptFile {
  readonly id: string;
  readonly file: Uint8Array<ArrayBuffer>;
  /** What it learns, where that is a text. */
  readonly text: string | null;
}

const NAME = 'posenc-lab';
const RUNS = 'runs';
const FILES = 'files';

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(RUNS, { keyPath: 'id' });
      request.result.createObjectStore(FILES, { keyPath: 'id' });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB'));
    request.onblocked = () => reject(new Error('IndexedDB is blocked'));
  });
  // Whoever comes next tries again.
  opened.catch(() => (opened = undefined));
  return opened;
}

async function within<Result>(
  mode: IDBTransactionMode,
  work: (runs: IDBObjectStore, files: IDBObjectStore) => IDBRequest<Result> | null,
): Promise<Result | undefined> {
  const database = await open();
  return new Promise((resolve, reject) => {
    const transaction = database.transaction([RUNS, FILES], mode);
    const request = work(transaction.objectStore(RUNS), transaction.objectStore(FILES));
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onerror = () => reject(transaction.error ?? new Error('IndexedDB'));
    transaction.onabort = () => reject(transaction.error ?? new Error('IndexedDB'));
  });
}

/** Keeps a run in place of what was kept of it before. */
export async function keepRun(run: KeptRun, file: Omit<KeptFile, 'id'>): Promise<void> {
  await within('readwrite', (runs, files) => {
    runs.put(run);
    files.put({ ...file, id: run.id });
    return null;
  });
}

/** The list, newest first. */
export async function keptRuns(): Promise<KeptRun[]> {
  const all = (await within<KeptRun[]>('readonly', (runs) => runs.getAll())) ?? [];
  return all.sort((a, b) => b.updated - a.updated);
}

/** The file of a run; `undefined` where there is none. */
export const keptFile = (id: string): Promise<KeptFile | undefined> =>
  within<KeptFile | undefined>('readonly', (_, files) => files.get(id));

/** Forgets runs. */
export async function forgetRuns(ids: readonly string[]): Promise<void> {
  await within('readwrite', (runs, files) => {
    for (const id of ids) {
      runs.delete(id);
      files.delete(id);
    }
    return null;
  });
}
