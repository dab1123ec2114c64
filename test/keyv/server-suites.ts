import { metadataStoreSuite } from '@bucketware/conformance';
import { PostgresStore } from '@bucketware/keyv';
import { KeyvPostgres } from '@keyv/postgres';
import KeyvRedis from '@keyv/redis';
import KeyvValkey from '@keyv/valkey';
import test from 'ava';
import { Keyv } from 'keyv';
import pg from 'pg';
import { fixture, type KEYVS, newPrefix } from './fixtures.js';
import { proveOverlaps } from './overlaps.js';
import { type Missing, postgresServer, redisServer, type Server } from './servers.js';
import { proveSharing } from './shared.js';

const servers = await Promise.all([redisServer(), postgresServer()]);
const [redis, postgres] = servers;

interface Adapter {
  disconnect(): Promise<unknown>;
}

const postgresStore = (url: string): Adapter =>
  new PostgresStore(new pg.Pool({ connectionString: url }));

interface Case {
  readonly name: string;
  readonly server: Server | Missing;
  readonly open: (url: string) => Adapter;
  /** Whether the store knows how to compare and set in this database. */
  readonly compares: boolean;
}

const ADAPTERS: readonly Case[] = [
  { name: '@keyv/redis', server: redis, open: (url) => new KeyvRedis(url), compares: true },
  {
    name: '@keyv/postgres',
    server: postgres,
    open: (url) => new KeyvPostgres(url),
    compares: true,
  },
  { name: 'PostgresStore', server: postgres, open: postgresStore, compares: true },
  { name: '@keyv/valkey', server: redis, open: (url) => new KeyvValkey(url), compares: true },
];

/** Runs the suite of metadata stores on the databases of these versions of Keyv. */
export function testServers(keyvs: typeof KEYVS): void {
  for (const { name, server, open, compares } of ADAPTERS) {
    if (typeof server === 'string') {
      test(`${name}: skipped, as ${server}`, (t) => {
        t.log(`SKIPPED all tests with ${name}: ${server}.`);
        t.pass();
      });
      continue;
    }
    const adapter = open(server.url);
    test.after.always(`disconnect ${name}`, async () => void (await adapter.disconnect()));
    for (const [version, keyvOn] of keyvs) {
      for (const compareAndSet of compares ? [true, false] : [false]) {
        const keyv = keyvOn(adapter);
        const way = compareAndSet ? 'comparing' : 'plain';
        metadataStoreSuite(
          (rule, run) => test(`${version} on ${name}, ${way}: ${rule}`, run),
          () => fixture(() => keyv, { compareAndSet }),
        );
      }
    }
  }
}

/**
 * @keyv/postgres has one pool for the whole process, so its Keyvs cannot be disconnected
 * separately.
 */
export function testSharing(): void {
  for (const { name, server, open, compares } of ADAPTERS) {
    if (typeof server === 'string' || !compares || name === '@keyv/postgres') continue;
    test(`several writers share ${name}`, async (t) => {
      const prefix = newPrefix();
      const adapter = () => open(server.url) as unknown as Map<string, unknown>;
      await proveSharing(() => new Keyv({ store: adapter() }), prefix);
      t.pass();
    });
    test(`a process without compare-and-set stops the writers on ${name} and finds their commits`, async (t) => {
      const adapter = () => open(server.url) as unknown as Map<string, unknown>;
      await proveOverlaps(() => new Keyv({ store: adapter() }), newPrefix());
      t.pass();
    });
  }
}

/** The database itself refuses a commit that was not the first. */
export function testStrictIsolation(): void {
  for (const isolation of ['repeatable read', 'serializable']) {
    test(`several writers share a PostgreSQL whose default isolation is ${isolation}`, async (t) => {
      if (typeof postgres === 'string') {
        t.log(`SKIPPED: ${postgres}.`);
        return t.pass();
      }
      const options = `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`;
      const pool = () => new pg.Pool({ connectionString: postgres.url, options });
      await proveSharing(() => new Keyv({ store: new PostgresStore(pool()) }), newPrefix());
      t.pass();
    });
  }
}

test.after.always('stop the servers', async () => {
  for (const server of servers) if (typeof server !== 'string') await server.stop();
});
