import { type Stats, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { byBytes, type Entry, fileEntry } from '../transfer/entry.js';

/**
 * All files below a directory, in the order of keys. Symbolic links are not followed, because they
 * may lead out of it. They are passed to `skip`, like everything else that is not a file.
 */
export async function* walk(
  directory: string,
  skip: (path: string, why: string) => void,
  below = '',
): AsyncGenerator<Entry, void> {
  const found = await readdir(join(directory, below), { withFileTypes: true });
  // A folder is sorted like its first file.
  const named = found.map((entry) => ({
    entry,
    path: `${below}${entry.name}${entry.isDirectory() ? '/' : ''}`,
  }));
  for (const { entry, path } of named.sort((a, b) => byBytes(a.path, b.path))) {
    if (entry.isDirectory()) yield* walk(directory, skip, path);
    else if (!entry.isFile()) skip(path, reasonOf(entry.isSymbolicLink()));
    else {
      const known = statOf(join(directory, path));
      if (known === undefined) skip(path, 'it was removed, or its name is not UTF-8');
      else yield fileEntry(path, known);
    }
  }
}

const reasonOf = (isLink: boolean): string =>
  isLink ? 'symbolic links are not followed' : 'it is not a regular file';

/** The way to another thread would take far longer than the call itself. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined; // The caller reports it.
  }
}
