import {
  createObjectStorage,
  type ObjectStorage,
  type ObjectStorageOptions,
} from '@bucketware/core';
import { postgresMetadata } from '@bucketware/postgres';
import { s3Blobs } from '@bucketware/s3-blobs';
import test from 'ava';
import { type Missing, postgresServer, type Server } from '../keyv/servers.js';
import { type Gateway, s3Gateway } from './gateway.js';

/** Long enough for a busy machine. */
const PATIENT = { timeout: 120_000 };

/** A test that gives the reason why the others are skipped. */
export function skip(reason: Missing): void {
  test(`skipped, as ${reason}`, (t) => {
    t.log(`SKIPPED: ${reason}.`);
    t.pass();
  });
}

type Open = ReturnType<typeof storageOn>;

/** Registers tests that need both servers, or stops the one that is there and gives the reason. */
export async function withGateway(register: (open: Open) => void): Promise<void> {
  const [gateway, server] = await Promise.all([s3Gateway(), postgresServer()]);
  if (typeof gateway !== 'string' && typeof server !== 'string') {
    return register(storageOn(gateway, server));
  }
  for (const one of [gateway, server]) {
    if (typeof one === 'string') skip(one);
    else await one.stop();
  }
}

/** Opens a storage with records in PostgreSQL and data in the gateway. Closing it stops both. */
const storageOn =
  (gateway: Gateway, server: Server) =>
  async (settings: Omit<ObjectStorageOptions, 'blobs' | 'metadata'>): Promise<ObjectStorage> => {
    const metadata = await postgresMetadata({ url: server.url, ...PATIENT });
    const blobs = await s3Blobs({ url: gateway.urlOf('http'), ...PATIENT });
    // Small objects are also stored in the gateway.
    const storage = await createObjectStorage({ ...settings, blobs, metadata, inlineLimit: 0 });
    const close = async () => {
      await storage.close();
      await server.stop();
      await gateway.stop();
    };
    return { ...storage, close };
  };
