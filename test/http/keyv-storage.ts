import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createObjectStorage, type ObjectStorageOptions } from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import { type KeyvLike, keyvMetadata } from '@bucketware/keyv';
import test from 'ava';
import { newPrefix } from '../keyv/fixtures.js';
import type { Missing, Server } from '../keyv/servers.js';
import { testConformance } from './conformance.js';
import type { Carry } from './servers.js';

/** A busy machine is no reason to fail. */
const SETTINGS = { timeout: 60_000, disconnect: true };

/** The whole HTTP suite with bytes on disk and records in a database, which ends with it. */
export function testKeyvConformance(
  carry: Carry,
  server: Server | Missing,
  keyvAt: (url: string) => KeyvLike,
): void {
  if (typeof server === 'string') {
    test(`skipped, as ${server}`, (t) => {
      t.log(`SKIPPED: ${server}.`);
      t.pass();
    });
    return;
  }
  testConformance(carry, async (settings: Omit<ObjectStorageOptions, 'blobs' | 'metadata'>) => {
    const directory = await mkdtemp(join(tmpdir(), 'bucketware-'));
    const keyv = keyvAt(server.url);
    const metadata = await keyvMetadata(keyv, { ...SETTINGS, prefix: newPrefix() });
    const blobs = await filesystemBlobs({ directory });
    const storage = await createObjectStorage({ ...settings, blobs, metadata });
    const close = async () => {
      await storage.close();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    };
    return { ...storage, close };
  });
}
