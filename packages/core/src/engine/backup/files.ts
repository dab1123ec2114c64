import { type FileHandle, lstat, open, readFile, stat } from 'node:fs/promises';

/** Says which backup of which storage a directory contains. */
export const MANIFEST = 'backup.json';

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

export function unlessAbsent(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

export const readIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(unlessAbsent);

export const statIfThere = (path: string) => stat(path).catch(unlessAbsent);

/** The size of a regular file. A link does not count: it could lead to a file of someone else. */
export async function sizeIfThere(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch(unlessAbsent);
  return found?.isFile() ? found.size : undefined;
}

/** Creates a file that only its owner may read. */
export async function withNewFile<T>(
  path: string,
  write: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await open(path, 'w', 0o600);
  try {
    const result = await write(file);
    await file.sync();
    return result;
  } finally {
    await file.close();
  }
}
