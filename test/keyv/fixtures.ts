import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MetadataStoreFixture } from '@bucketware/conformance';
import {
  type KeyvLike,
  type KeyvMetadataOptions,
  keyvMetadata,
  SqliteStore,
} from '@bucketware/keyv';
import { DatabaseSync } from '@photostructure/sqlite';
import { Keyv as Keyv5 } from 'keyv';
import { Keyv as Keyv6 } from 'keyv6';

/** Creates a Keyv of either major version with an adapter. */
export type MakeKeyv = (store: unknown, options?: { namespace?: string }) => KeyvLike;

export const KEYVS: readonly (readonly [name: string, make: MakeKeyv])[] = [
  ['Keyv 5.6', (store, options) => new Keyv5({ ...options, store: store as Map<string, unknown> })],
  ['Keyv 6.1', (store, options) => new Keyv6({ ...options, store: store as Map<string, unknown> })],
];

let count = 0;

/** A prefix that no other store of this process uses. */
export const newPrefix = (): string => `t${process.pid}-${Date.now().toString(36)}-${count++}:`;

/** A store for one case of the conformance suite. Its tree is checked at the end. */
export async function fixture(
  keyv: () => KeyvLike,
  options: KeyvMetadataOptions = {},
): Promise<Required<MetadataStoreFixture>> {
  // All cases run at the same time, so the timeout must be long enough for a busy machine.
  const settings = { prefix: newPrefix(), timeout: 60_000, ...options };
  const reopen = () => keyvMetadata(keyv(), settings);
  const store = await reopen();
  return {
    store,
    reopen,
    async dispose() {
      const again = await reopen();
      const { problems } = await again.check();
      await again.close();
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
  };
}

/** A database in a separate file. */
export function sqliteFile() {
  const path = join(tmpdir(), `bucketware-${newPrefix().replace(':', '')}.db`);
  return {
    path,
    open: () => new SqliteStore(new DatabaseSync(path)),
    async remove(): Promise<void> {
      for (const end of ['', '-wal', '-shm']) await rm(path + end, { force: true });
    },
  };
}
