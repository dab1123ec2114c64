import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createObjectStorage,
  type MetadataStore,
  type ObjectStorageOptions,
} from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import { type KeyvLike, keyvMetadata } from '@bucketware/keyv';
import test from 'ava';
import { newPrefix } from '../keyv/fixtures.js';
import type { Missing, Server } from '../keyv/servers.js';
import { testConformance } from './conformance.js';
import type { Carry } from './servers.js';

/** Long enough for a busy machine. */
const SETTINGS = { timeout: 60_000, disconnect: true };

/** Runs the whole HTTP suite with records in a Keyv. */
export function testKeyvConformance(
  carry: Carry,
  server: Server | Missing,
  keyvAt: (url: string) => KeyvLike,
): void {
  testDatabaseConformance(carry, server, (url) =>
    keyvMetadata(keyvAt(url), { ...SETTINGS, prefix: newPrefix() }),
  );
}

/**
 * Runs the whole HTTP suite with data on disk and records in a database, which is stopped
 * afterwards.
 */
export function testDatabaseConformance(
  carry: Carry,
  server: Server | Missing,
  open: (url: string) => Promise<MetadataStore>,
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
    const metadata = await open(server.url);
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
