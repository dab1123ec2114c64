import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from '../keyv/kill-place.js';
import { type KillResults, killServer, killWriters } from '../keyv/kills.js';
import { type Missing, type OwnServer, ownPostgres, ownRedis } from '../keyv/servers.js';

export interface KeyvRow {
  readonly store: string;
  /** Which process was killed. */
  readonly killed: 'writer' | 'server';
  readonly writers: number;
  readonly kills: number;
  readonly seed: number;
  readonly acknowledged: number;
  readonly whole: number;
  /** Acknowledged commits that are lost, incomplete commits, and records that nobody wrote. */
  readonly broken: number;
  /** Problems in the tree of the records. */
  readonly problems: number;
  readonly leaked: number;
  readonly probes: number;
  readonly seconds: number;
  readonly examples: readonly string[];
}

export interface KeyvProof {
  readonly name: string;
  readonly run: (work: string, scale: number, seed: number) => Promise<KeyvRow | Missing>;
}

/** How often writers are killed in each store, and how often servers are, at `scale` 1. */
const KILLS = 250;
const SERVER_KILLS = 5;

/** The stores that are tested with kills. */
export const KEYV_PROOFS: readonly KeyvProof[] = [
  onServer('Redis', ownRedis, { kind: 'redis', compareAndSet: true }),
  onServer('Redis, no compare-and-set', ownRedis, { kind: 'redis', compareAndSet: false }),
  onServer('PostgreSQL', ownPostgres, { kind: 'postgres', compareAndSet: true }),
  {
    name: 'SQLite',
    async run(work, scale, seed) {
      const url = join(work, 'keyv.db');
      const place: Place = { kind: 'sqlite', url, prefix: 's:', compareAndSet: true };
      const kills = Math.round(KILLS * scale);
      const found = await killWriters({ place, writers: 3, kills, seed });
      for (const end of ['', '-wal', '-shm']) await rm(url + end, { force: true });
      return row('SQLite', 'writer', 3, found);
    },
  },
  killing('Redis', ownRedis, 'redis'),
  killing('PostgreSQL', ownPostgres, 'postgres'),
];

function onServer(
  name: string,
  open: () => Promise<OwnServer | Missing>,
  how: Pick<Place, 'kind' | 'compareAndSet'>,
): KeyvProof {
  return {
    name,
    async run(_, scale, seed) {
      const server = await open();
      if (typeof server === 'string') return server;
      const place = { ...how, url: server.url, prefix: 's:' };
      const writers = how.compareAndSet ? 3 : 1;
      const kills = Math.round(KILLS * scale);
      const killing = killWriters({ place, writers, kills, seed });
      const found = await killing.finally(() => server.stop());
      return row(name, 'writer', writers, found);
    },
  };
}

function killing(
  name: string,
  open: () => Promise<OwnServer | Missing>,
  kind: Place['kind'],
): KeyvProof {
  return {
    name: `${name}, the server`,
    async run(_, scale, seed) {
      const server = await open();
      if (typeof server === 'string') return server;
      const place = { kind, url: server.url, prefix: 's:', compareAndSet: true };
      const kills = Math.round(SERVER_KILLS * scale);
      const killing = killServer(server, { place, writers: 2, kills, seed });
      const found = await killing.finally(() => server.stop());
      return row(name, 'server', 2, found);
    },
  };
}

function row(
  store: string,
  killed: KeyvRow['killed'],
  writers: number,
  { faults, problems, seconds, ...figures }: KillResults,
): KeyvRow {
  return {
    ...{ store, killed, writers, ...figures },
    ...{ broken: faults.length, problems: problems.length, seconds: Math.round(seconds) },
    examples: [...faults, ...problems].slice(0, 3),
  };
}
