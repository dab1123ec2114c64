import { sendMany } from '../load/connection.js';
import { content } from '../load/content.js';
import { output } from '../run/processes.js';
import { interleave, rateOf } from '../run/rounds.js';
import type { Server } from '../servers/server.js';
import { MiB, type Settings } from '../settings.js';
import { fill, get, put, remove, verify } from './objects.js';
import { type Context, contend, type Scenario } from './scenario.js';

interface Plan {
  readonly name: string;
  readonly action: 'get' | 'put';
  readonly size: (settings: Settings) => number;
  readonly connections: number;
  readonly requests: number;
  readonly hasTarget?: boolean;
}

const medium = () => 8 * MiB;
const large = ({ largeBytes }: Settings) => largeBytes;
const one = { connections: 1, requests: 1, hasTarget: true };

const PLANS: readonly Plan[] = [
  { name: 'get-8m-1', action: 'get', size: medium, connections: 1, requests: 16 },
  { name: 'get-8m', action: 'get', size: medium, connections: 32, requests: 64 },
  { name: 'put-8m-1', action: 'put', size: medium, connections: 1, requests: 8 },
  { name: 'put-8m', action: 'put', size: medium, connections: 32, requests: 32 },
  { name: 'get-512m', action: 'get', size: large, ...one },
  { name: 'put-512m', action: 'put', size: large, ...one },
];

const SERVERS = ['koa', 'express', 'bare', 'nginx', 's3rver', 'tus'];
const READ_KEYS = 8;

/** Transfers of large objects: a fixed number of bytes, however long that takes. */
export const largeObjects: readonly Scenario[] = PLANS.map((plan) => ({
  name: plan.name,
  run: async (context) => [await measure(context, plan)],
}));

/** Starts a new server for each contender, so that its memory is used only for these objects. */
async function measure({ pool, settings }: Context, plan: Plan) {
  const { name, action, connections, hasTarget } = plan;
  const size = plan.size(settings);
  const started: Server[] = [];
  try {
    const contenders = await contend(pool.present(SERVERS), async (kind) => {
      const server = await pool.start(kind.name);
      started.push(server);
      return enter(server, plan, size);
    });
    const series = hasTarget
      ? await interleave(contenders, settings.rounds)
      : await interleave(contenders, settings.fewRounds, { warmUp: false });
    const of = `${action.toUpperCase()} of ${size / MiB} MiB`;
    const title = `${of}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`;
    return { name, title, unit: 'bytes/s' as const, series };
  } finally {
    for (const server of started) await server.stop();
  }
}

async function enter(server: Server, plan: Plan, size: number) {
  const { action, requests } = plan;
  const keys = Math.min(requests, READ_KEYS);
  const keyOf = (index: number) => `${action}-${size}-${index}`;
  if (action === 'get') await fill(server, keyOf, keys, size);
  else await verify(server, keyOf(0), MiB);
  const work = action === 'get' ? reading : writing;
  return {
    measure: () => work(server, plan, size, keyOf, keys),
    peakMemory: () => server.peakMemory(),
  };
}

type Work = (
  server: Server,
  plan: Plan,
  size: number,
  keyOf: (index: number) => string,
  keys: number,
) => Promise<number>;

const reading: Work = async (server, { connections, requests }, size, keyOf, keys) => {
  if (requests === 1) {
    let came = 0;
    const rate = await rateOf(size, async () => {
      came = await get(server, keyOf(0));
    });
    if (came < size) throw new Error(`${came} of ${size} bytes came.`);
    return rate;
  }
  const { kind, port } = server;
  return rateOf(size * requests, () =>
    sendMany(port, { connections, requests }, (index) => ({
      ...kind.call('get', keyOf(index % keys), size),
      onBytes: () => {},
    })),
  );
};

/**
 * Files are removed again, because the disk has space for one round. The storage removes its own.
 */
const writing: Work = async (server, { connections, requests }, size, keyOf) => {
  const { kind, port } = server;
  const rate = await rateOf(size * requests, () =>
    requests === 1
      ? put(server, keyOf(0), size)
      : sendMany(port, { connections, requests }, (index) => ({
          ...kind.call('put', keyOf(index), size),
          length: size,
          body: content(size, index),
        })),
  );
  if (!kind.syncs) await output('sync', []);
  for (let index = 0; index < requests; index++) await remove(server, keyOf(index));
  return rate;
};
