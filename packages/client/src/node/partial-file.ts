import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Files whose names start with this, in any case, contain incomplete downloads. Nothing else may be
 * stored under such a name: a program that derives paths from keys must refuse it.
 */
export const PARTIAL_PREFIX = '.bucketware-partial-';

/** Whether a name is reserved for incomplete downloads. Some file systems ignore the case. */
export const isPartialName = (name: string): boolean =>
  name.toLowerCase().startsWith(PARTIAL_PREFIX);

/** Where the data of an object is collected for a file. A hash is never too long for a name. */
export function partialPathFor(path: string, etag: string): string {
  if (isPartialName(basename(path))) {
    throw new TypeError(`${path}: this name is reserved for incomplete downloads.`);
  }
  const hash = createHash('sha256')
    .update(`${basename(path)}\n${etag}`)
    .digest('hex');
  return join(dirname(path), PARTIAL_PREFIX + hash.slice(0, 32));
}

/**
 * Opens a partial file, or creates it. Another process that downloads the same object may be
 * writing the same data to it, so it is never made shorter: one that is of no use is removed.
 */
export const openPartial = (part: string): Promise<FileHandle> =>
  // Where there is no such flag, as on Windows, complete() notices a symbolic link.
  open(part, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0));

export const removePartial = (part: string): Promise<void> => rm(part, { force: true });

/** Gives the open partial file its final name, unless there is now another file in its place. */
export async function complete(file: FileHandle, part: string, path: string): Promise<void> {
  await file.sync();
  if ((await isAt(part, file)) && (await renamed(part, path))) return;
  // Another call may have completed the same file.
  if (await isAt(path, file)) return;
  throw new Error(`${part} was replaced during the download of ${path}. Start it again.`);
}

/** False if the file no longer exists. */
const renamed = (part: string, path: string): Promise<boolean> =>
  rename(part, path).then(() => true, ifMissing(false));

const ifMissing =
  <T>(value: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };

async function isAt(path: string, file: FileHandle): Promise<boolean> {
  const there = await lstat(path, { bigint: true }).catch(ifMissing(undefined));
  const own = await file.stat({ bigint: true });
  return there?.ino === own.ino && there.dev === own.dev;
}
