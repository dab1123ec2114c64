import { join } from 'node:path';
import { unlessAbsent } from './failures.js';
import type { FileOperations } from './files.js';

const LAYOUT = 1;
const FILE = 'storage.json';

/** The storage that owns the blobs in this directory; `undefined` when none has claimed them. */
export async function readIdentity(
  files: FileOperations,
  directory: string,
): Promise<string | undefined> {
  const path = join(directory, FILE);
  const text = await readText(files, path);
  if (text === undefined) return undefined;
  const { storageId, layout } = parse(path, text);
  if (layout !== LAYOUT || typeof storageId !== 'string') {
    throw new Error(`${path} does not have layout ${LAYOUT}: it was written by another version.`);
  }
  return storageId;
}

function parse(path: string, text: string): { storageId?: unknown; layout?: unknown } {
  try {
    return Object(JSON.parse(text));
  } catch (cause) {
    const message = `${path} is damaged: it is not JSON. Restore the file, or the whole storage, from a backup.`;
    throw new Error(message, { cause });
  }
}

/**
 * Throws for a layout from another version, and for the blobs of a backup: the next backup would
 * remove those of a new storage.
 */
export async function checkDirectory(files: FileOperations, directory: string): Promise<void> {
  if ((await readIdentity(files, directory)) !== undefined) return;
  // Not normalized, so that the directory may be a symbolic link.
  const text = await readText(files, `${directory}/../backup.json`);
  if (text === undefined || !isManifest(text)) return;
  throw new Error(
    `${directory} is part of a backup. Restore the backup to another directory, with ` +
      'restoreStorage() or bucketware restore.',
  );
}

function isManifest(text: string): boolean {
  try {
    const manifest = JSON.parse(text) as { format?: unknown; storage?: unknown } | null;
    return typeof manifest?.format === 'number' && typeof manifest.storage === 'string';
  } catch {
    return false; // A file of someone else.
  }
}

/** Writes the identity atomically: to a temporary file, which is then renamed. */
export async function writeIdentity(
  files: FileOperations,
  directory: string,
  storageId: string,
): Promise<void> {
  const path = join(directory, FILE);
  const aside = `${path}.${process.pid}.tmp`;
  const bytes = Buffer.from(`${JSON.stringify({ storageId, layout: LAYOUT })}\n`);
  // A process that crashed may have had the same number.
  await files.remove(aside).catch(unlessAbsent);
  const file = await files.open(aside, 'wx');
  try {
    for (let done = 0; done < bytes.length; ) {
      done += await files.write(file, bytes.subarray(done), done);
    }
    await files.sync(file);
  } finally {
    await files.close(file);
  }
  await files.rename(aside, path);
  await files.syncDirectory(directory);
}

async function readText(files: FileOperations, path: string): Promise<string | undefined> {
  let file: number;
  try {
    file = await files.open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(await files.size(file));
    const read = await files.read(file, bytes, 0);
    return bytes.toString('utf8', 0, read);
  } finally {
    await files.close(file);
  }
}
