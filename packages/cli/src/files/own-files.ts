import { statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { StorageConfig } from '@bucketware/storage';
import { UsageError } from '../failures.js';

/** Whether a path leads to the config file, or to what the storage has its data in. */
export type IsOwn = (path: string) => boolean;

/**
 * The files and directories of an open storage. They are compared by their inodes, because a path
 * may lead to them through links, or in capital letters.
 */
export function ownFiles({ directory, metadata, blobs }: StorageConfig): IsOwn {
  const paths = [metadata, blobs].flatMap((driver) => {
    const [, path] = /^(?:lmdb|filesystem|sqlite):(.+)$/s.exec(String(driver)) ?? [];
    return path === undefined ? [] : [path, `${path}-wal`, `${path}-shm`];
  });
  if (directory !== undefined) {
    paths.push(...['records', 'blobs'].map((name) => join(directory, name)));
  }
  return isOneOf(paths);
}

/** Files and directories that exist now. */
export function isOneOf(paths: readonly string[]): IsOwn {
  const known = new Set(paths.map(inodeOf));
  return (path) => {
    const inode = inodeOf(path);
    return inode !== undefined && known.has(inode);
  };
}

/** `undefined` if there is no such file, or none that this process can reach. */
function inodeOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined; // It is not one of the files that this process has open.
  }
}

/** Refuses a path that is inside the files of the storage. It need not exist. */
export async function requireForeign(path: string, isOwn: IsOwn): Promise<void> {
  for (let at = await realPathOf(resolve(path)); ; at = dirname(at)) {
    if (isOwn(at)) throw new UsageError(`${path} belongs to the storage itself.`);
    if (at === dirname(at)) return;
  }
}

const realPathOf = (path: string): Promise<string> =>
  realpath(path).catch(async () => {
    const parent = dirname(path);
    return parent === path ? path : realPathOf(parent);
  });
