import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ownName, recover } from './abandoned-files.js';
import { isPartialName, PARTIAL_PREFIX } from './partial-name.js';
import { modeOfReplaced } from './replaced-file.js';

/** An open file with the data of one download, which no other call uses. */
export interface PartialFile {
  readonly file: FileHandle;
  /** Where the file is during the download. */
  readonly own: string;
  /** Where the file stays after an interruption. */
  readonly shared: string;
}

/** Where the incomplete data of an object for a file stays. A hash is never too long for a name. */
function partialPathFor(path: string, etag: string): string {
  if (isPartialName(basename(path))) {
    throw new TypeError(`${path}: this name is reserved for incomplete downloads.`);
  }
  const hash = createHash('sha256')
    .update(`${basename(path)}\n${etag}`)
    .digest('hex');
  return join(dirname(path), PARTIAL_PREFIX + hash.slice(0, 32));
}

/**
 * Takes over the partial file of an interrupted call, or creates one. It is renamed first, because
 * of several calls, only one can rename it.
 */
export async function openPartial(path: string, etag: string): Promise<PartialFile> {
  const shared = partialPathFor(path, etag);
  const known = await modeOfReplaced(path);
  await recover(dirname(shared));
  const own = ownName(shared);
  const found = await takeOver(shared, own, path);
  if (found !== undefined) return { file: found, own, shared };
  // The data must not be readable by more users than the file that it replaces. The umask applies.
  const mode = ((known ?? 0o664) & 0o664) | 0o600;
  return { file: await open(own, 'wx+', mode), own, shared };
}

/** `undefined` if there is no file that can be used. */
async function takeOver(
  shared: string,
  own: string,
  path: string,
): Promise<FileHandle | undefined> {
  const found = await lstat(shared).catch(ifMissing(undefined));
  if (found === undefined || !isTrusted(found)) return undefined;
  if (!(await renamed(shared, own))) return undefined;
  // Where there are no such flags, as on Windows, complete() notices a symbolic link.
  const { O_RDWR, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = await open(own, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  if (isTrusted(await file.stat())) return file;
  await file.close();
  throw replaced(own, path);
}

/** Whether a file is one that no other user can change, now or once it is complete. */
const isTrusted = (found: Stats): boolean =>
  found.isFile() &&
  (process.geteuid === undefined ||
    (found.uid === process.geteuid() && found.nlink === 1 && (found.mode & 0o002) === 0));

export const removePartial = ({ own }: PartialFile): Promise<void> => rm(own, { force: true });

/** Leaves the data to a later call. */
export async function keepPartial(part: PartialFile): Promise<void> {
  // Another user may have a file there. The interruption is the error to report.
  await renamed(part.own, part.shared).catch(() => removePartial(part));
}

/** Gives the file its final name, and the permissions of the file that it replaces. */
export async function complete({ file, own }: PartialFile, path: string): Promise<void> {
  const mode = await modeOfReplaced(path);
  if (mode !== undefined) await file.chmod(mode);
  await file.sync();
  if (!(await isAt(own, file)) || !(await renamed(own, path))) throw replaced(own, path);
}

const replaced = (own: string, path: string) =>
  new Error(`${own} was replaced during the download of ${path}. Start it again.`);

/** False if the file no longer exists. */
const renamed = (from: string, to: string): Promise<boolean> =>
  rename(from, to).then(() => true, ifMissing(false));

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
