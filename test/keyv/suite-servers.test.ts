import { metadataStoreSuite } from '@bucketware/conformance';
import { PostgresStore } from '@bucketware/keyv';
import { KeyvPostgres } from '@keyv/postgres';
import KeyvRedis from '@keyv/redis';
import test from 'ava';
import { Keyv } from 'keyv';
import pg from 'pg';
import { fixture, KEYVS, newPrefix } from './fixtures.js';
import { postgresServer, redisServer, type Server } from './servers.js';
import { proveSharing } from './shared.js';

const servers = await Promise.all([redisServer(), postgresServer()]);
const [redis, postgres] = servers;

interface Adapter {
  disconnect(): Promise<unknown>;
}

const postgresStore = (url: string): Adapter =>
  new PostgresStore(new pg.Pool({ connectionString: url }));

const ADAPTERS: readonly (readonly [string, Server | string, (url: string) => Adapter])[] = [
  ['@keyv/redis', redis, (url) => new KeyvRedis(url)],
  ['@keyv/postgres', postgres, (url) => new KeyvPostgres(url)],
  ['PostgresStore', postgres, postgresStore],
];

for (const [name, server, open] of ADAPTERS) {
  if (typeof server === 'string') {
    test(`${name}: skipped, as ${server}`, (t) => {
      t.log(`SKIPPED all tests with ${name}: ${server}.`);
      t.pass();
    });
    continue;
  }
  const adapter = open(server.url);
  test.after.always(`disconnect ${name}`, async () => void (await adapter.disconnect()));
  for (const [version, keyvOn] of KEYVS) {
    for (const compareAndSet of [true, false]) {
      const keyv = keyvOn(adapter);
      const way = compareAndSet ? 'comparing' : 'plain';
      metadataStoreSuite(
        (rule, run) => test(`${version} on ${name}, ${way}: ${rule}`, run),
        () => fixture(() => keyv, { compareAndSet }),
      );
    }
  }
}

/** @keyv/postgres has one pool for the whole process: its Keyvs cannot be disconnected one by one. */
for (const [name, server, open] of ADAPTERS.filter(([name]) => name !== '@keyv/postgres')) {
  if (typeof server === 'string') continue;
  test(`several writers share ${name}`, async (t) => {
    const prefix = newPrefix();
    const adapter = () => open(server.url) as unknown as Map<string, unknown>;
    await proveSharing(() => new Keyv({ store: adapter() }), prefix);
    t.pass();
  });
}

test.after.always('stop the servers', async () => {
  for (const server of servers) if (typeof server !== 'string') await server.stop();
});
