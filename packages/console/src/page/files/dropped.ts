/** A file that was dropped or chosen, with its path below the chosen folder. */
export interface Chosen {
  readonly path: string;
  readonly file: File;
}

export const chosenIn = (files: FileList | null): Chosen[] =>
  Array.from(files ?? [], (file) => ({ path: file.webkitRelativePath || file.name, file }));

/** All dropped files, including those in folders. */
export async function droppedIn({ items }: DataTransfer): Promise<Chosen[]> {
  // The browser empties the list at the first await.
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
    // Browsers return a hundred entries at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return found;
    for (const files of await Promise.all(some.map(filesIn))) {
      for (const file of files) found.push(file); // A call cannot have any number of arguments.
    }
  }
}
