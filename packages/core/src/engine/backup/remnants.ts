import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isBlobId } from '../../contracts/blob-ids.js';
import { MANIFEST, readIfThere, unlessAbsent } from './files.js';
import { isLockText } from './lock.js';

const LOCK_ASIDE = /^lock-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * What the first backup may find in its directory: `lost+found`, which exists on a new file system,
 * and what a call leaves that stops before it has written a manifest. Anything else belongs to
 * someone else, even if it has the same name.
 */
export async function isRemnant(directory: string, name: string): Promise<boolean> {
  if (name === 'lost+found' || LOCK_ASIDE.test(name)) return true;
  const path = join(directory, name);
  const found = await lstat(path).catch(unlessAbsent);
  if (found === undefined) return true; // Another call has just ended.
  if (name === 'lock') return found.isFile() && isLockText((await readIfThere(path)) ?? '');
  return name === 'incoming' && found.isDirectory() && hasOnlyManifests(path);
}

/** A call that takes over moves the working directories of others to its own. */
async function hasOnlyManifests(path: string): Promise<boolean> {
  for (const entry of (await readdir(path, { withFileTypes: true }).catch(unlessAbsent)) ?? []) {
    const isOurs = entry.isDirectory()
      ? isBlobId(entry.name) && (await hasOnlyManifests(join(path, entry.name)))
      : entry.isFile() && entry.name === MANIFEST;
    if (!isOurs) return false;
  }
  return true;
}
