/** A file that was dropped or chosen, with its path below the folder that it came in. */
export interface Chosen {
  readonly path: string;
  readonly file: File;
}

export const chosenIn = (files: FileList | null): Chosen[] =>
  Array.from(files ?? [], (file) => ({ path: file.webkitRelativePath || file.name, file }));

/** All files that were dropped, those in folders included. */
export async function droppedIn({ items }: DataTransfer): Promise<Chosen[]> {
  // The list is emptied as soon as somebody waits.
  const found = Array.from(items, (item) => [item.webkitGetAsEntry(), item.getAsFile()] as const);
  const files = found.map(([entry, file]) => {
    if (entry !== null) return filesIn(entry);
    return file === null ? [] : [{ path: file.name, file }];
  });
  return (await Promise.all(files)).flat();
}

async function filesIn(entry: FileSystemEntry): Promise<Chosen[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ path: entry.fullPath.slice(1), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Chosen[] = [];
  for (;;) {
    // Browsers return a hundred at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return found;
    found.push(...(await Promise.all(some.map(filesIn))).flat());
  }
}
