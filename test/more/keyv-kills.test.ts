import test, { type ExecutionContext } from 'ava';
import { sqliteFile } from '../keyv/fixtures.js';
import { type KillResults, killServer, killWriters } from '../keyv/kills.js';
import { type Missing, ownPostgres, ownRedis } from '../keyv/servers.js';

/** A short version of what `npm run prove` does a thousand times. */
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

function check(t: ExecutionContext, { faults, problems, leaked, ...figures }: KillResults): void {
  t.log(JSON.stringify(figures));
  t.deepEqual({ faults, problems, leaked }, { faults: [], problems: [], leaked: 0 });
  t.true(figures.acknowledged > 0);
}

function skip(t: ExecutionContext, why: Missing): void {
  t.log(`SKIPPED: ${why}.`);
  t.pass();
}

test('Redis: writers are killed at any moment, and so is the server', async (t) => {
  const server = await ownRedis();
  if (typeof server === 'string') return skip(t, server);
  t.teardown(() => server.stop());
  const redis = { kind: 'redis', url: server.url } as const;
  const shared = { ...redis, prefix: 'shared:', compareAndSet: true };
  check(t, await killWriters({ place: shared, writers: 3, kills: 6, seed }));
  const plain = { ...redis, prefix: 'plain:', compareAndSet: false };
  check(t, await killWriters({ place: plain, writers: 1, kills: 5, seed }));
  const killed = { ...redis, prefix: 'killed:', compareAndSet: true };
  check(t, await killServer(server, { place: killed, writers: 2, kills: 1, seed }));
});

test('PostgreSQL: writers are killed at any moment, and so is the server', async (t) => {
  const server = await ownPostgres();
  if (typeof server === 'string') return skip(t, server);
  t.teardown(() => server.stop());
  const postgres = { kind: 'postgres', url: server.url, compareAndSet: true } as const;
  const shared = { ...postgres, prefix: 'shared:' };
  check(t, await killWriters({ place: shared, writers: 3, kills: 6, seed }));
  const killed = { ...postgres, prefix: 'killed:' };
  check(t, await killServer(server, { place: killed, writers: 2, kills: 1, seed }));
});

test('SQLite: writers are killed at any moment', async (t) => {
  const file = sqliteFile();
  t.teardown(() => file.remove());
  const place = { kind: 'sqlite', url: file.path, prefix: 's:', compareAndSet: true } as const;
  check(t, await killWriters({ place, writers: 3, kills: 9, seed }));
});
