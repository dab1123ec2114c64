import { isUtf8 } from 'node:buffer';
import { type Dirent, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isPartialName } from '@bucketware/client/node';
import { byBytes, type Entry, fileEntry } from '../transfer/entry.js';
import type { IsOwn } from './own-files.js';

interface Walk {
  readonly isOwn: IsOwn;
  skip(path: string, why: string): void;
}

const NOT_UTF8 = 'Its name is not UTF-8. Rename it.';
const OWN = 'it belongs to the storage itself';

/**
 * All files below a directory, in the order of keys. Symbolic links are not followed, because they
 * may lead out of it. They are passed to `skip`, like everything else that is not a file. What
 * cannot be read has an entry with an `error`.
 */
export async function* walk(
  directory: string,
  { isOwn, skip }: Walk,
  below = '',
): AsyncGenerator<Entry, void> {
  let found: Dirent[];
  let garbled: ReadonlySet<string>;
  try {
    found = await readdir(join(directory, below), { withFileTypes: true });
    garbled = await garbledOf(found, join(directory, below));
  } catch (error) {
    if (below === '') throw error;
    yield unreadable(below, error as Error);
    return;
  }
  // A folder is sorted like its first file.
  const named = found.map((entry) => ({
    entry,
    path: `${below}${entry.name}${entry.isDirectory() ? '/' : ''}`,
  }));
  for (const { entry, path } of named.sort((a, b) => byBytes(a.path, b.path))) {
    if (garbled.has(entry.name)) yield unreadable(path, new Error(NOT_UTF8));
    else if (isPartialName(entry.name)) skip(path, 'it is an incomplete download');
    else if (!entry.isSymbolicLink() && isOwn(join(directory, path))) skip(path, OWN);
    else if (entry.isDirectory()) yield* walk(directory, { isOwn, skip }, path);
    else if (!entry.isFile()) skip(path, reasonOf(entry.isSymbolicLink()));
    else {
      const known = entryOf(directory, path);
      if (known === undefined) skip(path, 'it was removed');
      else yield known;
    }
  }
}

const REPLACEMENT = '\ufffd';

/**
 * The names that are not UTF-8. Node replaces bytes that it cannot decode, and would find another
 * file, or none, by such a name.
 */
async function garbledOf(found: Dirent[], directory: string): Promise<ReadonlySet<string>> {
  if (!found.some(({ name }) => name.includes(REPLACEMENT))) return new Set();
  const names = await readdir(directory, { encoding: 'buffer' });
  return new Set(names.filter((name) => !isUtf8(name)).map(String));
}

const reasonOf = (isLink: boolean): string =>
  isLink ? 'symbolic links are not followed' : 'it is not a regular file';

const unreadable = (path: string, error: Error): Entry => ({ path, size: 0, modified: 0, error });

/** `undefined` if there is no such file. */
function entryOf(directory: string, path: string): Entry | undefined {
  try {
    // The way to another thread would take far longer than the call itself.
    return fileEntry(path, statSync(join(directory, path)));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? undefined : unreadable(path, error as Error);
  }
}
