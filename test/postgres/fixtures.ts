import type { MetadataStore } from '@bucketware/core';
import { type PostgresMetadataOptions, postgresMetadata } from '@bucketware/postgres';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { eventually } from '../drivers/fixtures.js';
import { type Missing, ownPostgres, type Server } from '../keyv/servers.js';

/** Registers tests that need a server, or a test that gives the reason for skipping them. */
export function withServer<S extends Server>(server: S | Missing, register: (server: S) => void) {
  if (typeof server !== 'string') {
    test.after.always('stop the server', () => server.stop());
    return register(server);
  }
  test(`skipped, as ${server}`, (t) => {
    t.log(`SKIPPED: ${server}.`);
    t.pass();
  });
}

let count = 0;

export const newTable = (): string => `t${process.pid}_${Date.now().toString(36)}_${count++}`;

/** Several stores on one table, each with its own connections, as on several machines. */
export async function sharedStores(
  t: ExecutionContext,
  { url }: Server,
  number: number,
  options: PostgresMetadataOptions = {},
): Promise<MetadataStore[]> {
  const table = newTable();
  const stores: MetadataStore[] = [];
  for (let left = number; left > 0; left--) {
    stores.push(await postgresMetadata({ url, table, ...options }));
  }
  t.teardown(() => Promise.allSettled(stores.map((store) => store.close())));
  return stores;
}

/** Runs statements as an administrator of the database. */
export async function administer({ url }: Server, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

export { eventually, ownPostgres };
