/** Files that are dropped, those inside dropped folders too. */

/** How deep folders are searched: a checkpoint lies flat. */
const DEEPEST = 2;

/** All files of a drop, in no order. */
export async function droppedFiles(data: DataTransfer | null): Promise<File[]> {
  if (data === null) return [];
  // Entries must be asked for before anything is awaited; a browser without folders gives plain files.
  const entries = Array.from(data.items, (item) => item.webkitGetAsEntry?.() ?? null);
  const plain = [...data.files];
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  const found = await Promise.all(entries.map((entry) => filesOf(entry, DEEPEST)));
  return found.flat();
}

async function filesOf(entry: FileSystemEntry | null, depth: number): Promise<File[]> {
  if (entry === null) return [];
  if (entry.isFile) {
    const file = await new Promise<File | null>((resolve) =>
      (entry as FileSystemFileEntry).file(resolve, () => resolve(null)),
    );
    return file === null ? [] : [file];
  }
  if (depth === 0) return [];
  const inside = await entriesOf((entry as FileSystemDirectoryEntry).createReader());
  return (await Promise.all(inside.map((one) => filesOf(one, depth - 1)))).flat();
}

/** A reader gives a hundred at a time. */
async function entriesOf(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve) =>
      reader.readEntries(resolve, () => resolve([])),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}
