import { setTimeout as sleep } from 'node:timers/promises';
import { createObjectStorage } from '@bucketware/core';
import { postgresMetadata } from '@bucketware/postgres';
import { s3Blobs } from '@bucketware/s3-blobs';
import { eventually } from '../drivers/fixtures.js';
import { Client, Recorder } from '../histories/client.js';
import { happened } from '../histories/objects.js';
import type { OwnServer } from '../keyv/servers.js';
import { type Bytes, type Cluster, startCluster } from './cluster.js';

export type Fault = (cluster: Cluster, database: OwnServer, bytes: Bytes) => Promise<void>;

const shortly = () => sleep(300 + Math.random() * 700);

/** What fails while clients work. Each fault is over when its promise resolves. */
export const FAULTS = {
  'a process is killed': (cluster) => cluster.killOne(),
  'the database is killed': async (_, database) => {
    await database.kill();
    await shortly();
    await database.restart();
  },
  'the gateway is killed': async (_cluster, _database, bytes) => {
    await bytes.kill();
    await shortly();
    await bytes.restart();
  },
  'connections to the database are cut': async ({ records }) => records.cut(),
  'connections to the gateway are cut': async ({ bytes }) => bytes.cut(),
  'the database is silent': async ({ records }) => {
    records.stall();
    await shortly();
    records.resume();
  },
  'the gateway is silent': async ({ bytes }) => {
    bytes.stall();
    await shortly();
    bytes.resume();
  },
} as const satisfies Readonly<Record<string, Fault>>;

export interface MixedLoad {
  readonly database: OwnServer;
  readonly bytes: Bytes;
  readonly clients: number;
  readonly keys: number;
  /** The faults, one after the other, each followed by a pause of this many milliseconds. */
  readonly faults: readonly (keyof typeof FAULTS)[];
  readonly pause: number;
}

export interface Outcome {
  readonly calls: number;
  readonly unanswered: number;
  /** Responses that no history allows. */
  readonly unexpected: readonly string[];
  /** Results on objects that no order explains. */
  readonly contradictions: readonly string[];
  readonly exitCodes: readonly (number | null)[];
  readonly missing: readonly string[];
  /** Blobs that are left after a sweep. */
  readonly orphans: readonly string[];
  readonly damaged: number;
}

/** What must hold after every run. */
export const NOTHING_WRONG: Omit<Outcome, 'calls' | 'unanswered'> = {
  ...{ unexpected: [], contradictions: [], exitCodes: [0, 0, 0] },
  ...{ missing: [], orphans: [], damaged: 0 },
};

/**
 * How long a call may remain in the database's socket after its client got a 500, in milliseconds.
 */
const LASTS = 6000;

const AS_ALICE = { headers: { authorization: 'Bearer alice' } };

/**
 * Clients change the same objects through three hosts whose clocks differ by an hour, while
 * backends and hosts fail. The results must be consistent with one order for each object. No blob
 * may be missing, or be left after a sweep.
 */
export async function mixedLoad(load: MixedLoad): Promise<Outcome> {
  const { database, bytes } = load;
  const failures = { ServiceUnavailable: 'no effect', InternalError: 'unknown' } as const;
  const recorder = new Recorder({ lasts: LASTS, failures });
  const cluster = await startCluster(database, bytes);
  try {
    const keys = Array.from({ length: load.keys }, (_, index) => `key-${index}`);
    let stopping = false;
    const clients = Array.from(
      { length: load.clients },
      (_, index) => new Client(`c${index}`, keys, recorder, async () => cluster.origin()),
    );
    const [first] = clients as [Client];
    await first.prepare();
    const working = Promise.all(clients.map((client) => client.work(() => stopping)));
    for (const name of load.faults) {
      await sleep(load.pause);
      await FAULTS[name](cluster, database, bytes);
    }
    await sleep(load.pause);
    stopping = true;
    await working;
    await eventually(async () => {
      const answer = await fetch(`${cluster.origin()}/storage/histories`, AS_ALICE);
      if (!answer.ok) throw new Error(`The hosts have not recovered: ${answer.status}.`);
    });
    for (const key of keys) await first.get(key);
    const exitCodes = await cluster.stop();
    const { unexpected } = recorder;
    return { ...check(recorder, keys), unexpected, exitCodes, ...(await rest(cluster, bytes)) };
  } finally {
    await cluster.dispose();
  }
}

function check(recorder: Recorder, keys: readonly string[]) {
  let [calls, unanswered] = [0, 0];
  const contradictions: string[] = [];
  for (const key of keys) {
    const events = recorder.eventsOf(key);
    const { ok, placed } = happened(events);
    const near = events
      .sort((a, b) => a.called - b.called)
      .slice(Math.max(0, placed - 20), placed + 20);
    if (!ok) {
      contradictions.push(`${key}: ${near.map((event) => JSON.stringify(event)).join('\n')}`);
    }
    calls += events.length;
    unanswered += events.filter(({ output }) => output === undefined).length;
  }
  return { calls, unanswered, contradictions };
}

/** Weeks later, according to the clock of the sweeping host. */
async function rest({ places }: Cluster, { credentials }: Bytes) {
  const storage = await createObjectStorage({
    metadata: await postgresMetadata({ url: places.metadata }),
    blobs: await s3Blobs({ url: places.blobs, credentials }),
    now: () => Date.now() + 30 * 24 * 60 * 60 * 1000,
    sweepEvery: false,
  });
  try {
    await storage.sweep();
    const { missing, orphans } = await storage.check();
    const { found } = await storage.scrub();
    return { missing, orphans, damaged: found };
  } finally {
    await storage.close();
  }
}
