import { join } from 'node:path';
import type { FileOperations } from './files.js';

const ID = /^[0-9a-f]{32}$/;

/** The names of the directories that blobs are spread over: the first two digits of their ids. */
export const SHARDS: readonly string[] = Array.from({ length: 256 }, (_, index) =>
  index.toString(16).padStart(2, '0'),
);

export const isBlobId = (name: string): boolean => ID.test(name);

/** The directory of a blob. Nothing but an id ever becomes a path. */
export function shardOf(directory: string, id: string): string {
  if (!isBlobId(id)) throw new TypeError('A blob id is 32 lower-case hexadecimal digits.');
  return join(directory, id.slice(0, 2));
}

export const pathOf = (directory: string, id: string): string => join(shardOf(directory, id), id);

/**
 * Makes all shards at once, so that no write ever depends on a directory that is not durable.
 * Synced at every start: the process that made them may have ended before it came to that.
 */
export async function makeShards(
  files: FileOperations,
  directory: string,
  durable: boolean,
): Promise<void> {
  const present = new Set(await files.readDirectory(directory));
  for (const shard of SHARDS) {
    if (!present.has(shard)) await files.makeDirectory(join(directory, shard)).catch(ignoreExists);
  }
  if (durable) await files.syncDirectory(directory);
}

/** Another process may make the same directories at this moment. */
function ignoreExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
