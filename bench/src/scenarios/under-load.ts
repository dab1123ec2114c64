import { sendMany } from '../load/connection.js';
import { output } from '../run/processes.js';
import { interleave } from '../run/rounds.js';
import type { Server } from '../servers/server.js';
import { KiB } from '../settings.js';
import { fill, get, verify } from './objects.js';
import { type Context, contend, type Scenario } from './scenario.js';

interface Plan {
  readonly name: string;
  readonly action: 'get' | 'put';
  readonly size: number;
  readonly connections: number;
  readonly servers: readonly string[];
  /** Figures with a target are measured in more rounds. */
  readonly hasTarget?: boolean;
}

const OURS = ['koa', 'express'];
const FILES = ['bare', 'nginx'];
const PEERS = ['s3rver', 'tus', 'azurite'];
const CONSTANT = ['constant-koa', 'constant-express'];
const CLUSTER = ['cluster-1', 'cluster-2'];
const KEYS = 1_000;

const PLANS: readonly Plan[] = [
  {
    ...{ name: 'get-1k', action: 'get', size: KiB, connections: 32, hasTarget: true },
    servers: [...OURS, 'sketch', ...CONSTANT, ...FILES, ...PEERS, ...CLUSTER],
  },
  {
    ...{ name: 'get-1k-1', action: 'get', size: KiB, connections: 1 },
    servers: [...OURS, 'sketch', ...CONSTANT, ...FILES],
  },
  {
    ...{ name: 'get-1k-256', action: 'get', size: KiB, connections: 256 },
    servers: [...OURS, 'sketch', ...CONSTANT, ...FILES],
  },
  {
    ...{ name: 'get-64k', action: 'get', size: 64 * KiB, connections: 32 },
    servers: [...OURS, ...FILES, ...PEERS],
  },
  {
    ...{ name: 'put-1k', action: 'put', size: KiB, connections: 32, hasTarget: true },
    servers: [...OURS, 'sketch', ...FILES, ...PEERS, ...CLUSTER],
  },
  {
    ...{ name: 'put-1k-1', action: 'put', size: KiB, connections: 1, hasTarget: true },
    servers: [...OURS, 'sketch', ...FILES],
  },
  {
    ...{ name: 'put-1k-256', action: 'put', size: KiB, connections: 256 },
    servers: [...OURS, 'sketch', ...FILES],
  },
  {
    ...{ name: 'put-64k', action: 'put', size: 64 * KiB, connections: 32 },
    servers: [...OURS, ...FILES, ...PEERS],
  },
];

/** Requests for small objects, as many as a server can handle. */
export const underLoad: readonly Scenario[] = PLANS.map((plan) => ({
  name: plan.name,
  run: async (context) => [await measure(context, plan)],
}));

async function measure(context: Context, plan: Plan) {
  const { name, action, size, connections, servers, hasTarget } = plan;
  const { pool, settings } = context;
  const contenders = await contend(pool.present(servers), async ({ name: server }) =>
    enter(context, plan, await pool.get(server)),
  );
  const series = hasTarget
    ? await interleave(contenders, settings.rounds)
    : await interleave(contenders, settings.fewRounds, { warmUp: false });
  const of = `${action.toUpperCase()} of ${size / KiB} KiB`;
  const title = `${of}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`;
  return { name, title, unit: 'requests/s' as const, series };
}

/** Stores the objects to read on a server, and puts and gets one object to check that it works. */
async function enter({ generate, settings }: Context, plan: Plan, server: Server) {
  const { name, action, size, connections } = plan;
  const { port, kind } = server;
  if (!kind.name.startsWith('constant')) await verify(server, `verify-${name}`, size);
  const keys = action === 'get' ? KEYS : 0;
  if (keys > 0) await fill(server, (index) => `${size}-${index}`, keys, size);
  const prefix = action === 'get' ? `${size}` : name;
  const call = kind.call(action, `${prefix}-%d`, size);
  let first = 0;
  return {
    async measure() {
      server.resetPeak();
      const bytes = action === 'put' ? size : undefined;
      const { seconds } = settings;
      const load = { ...call, port, bytes, keys, first, connections, seconds };
      const result = await generate(load);
      if (result.failed > 0) throw new Error(`${result.failed} requests failed.`);
      // Uploads to tus have other names.
      if (action === 'put' && kind.name !== 'tus') await get(server, `${name}-${first + 1}`);
      first += result.requests + 2 * connections;
      // Otherwise, unwritten data would slow down the next server.
      if (action === 'put' && !kind.syncs) await output('sync', []);
      return result.requests / result.seconds;
    },
    peakMemory: () => server.peakMemory(),
  };
}

/** Requests that wrk cannot send, or cannot repeat. A fixed number of them is measured. */
export const counted: readonly Scenario[] = (['head', 'delete'] as const).map((action) => ({
  name: `${action}-1k`,
  async run({ pool, settings }) {
    const requests = settings.deletes;
    const contenders = await contend(
      pool.present([...OURS, ...FILES, 's3rver', 'tus']),
      async ({ name }) => {
        const server = await pool.get(name);
        const { port, kind } = server;
        await verify(server, `verify-${action}`, KiB);
        const key = (index: number) => `${action}-${index}`;
        if (action === 'head') await fill(server, key, requests, KiB);
        return {
          async measure() {
            if (action === 'delete') await fill(server, key, requests, KiB);
            const start = performance.now();
            await sendMany(port, { connections: 32, requests }, (index) =>
              kind.call(action, key(index), KiB),
            );
            return (requests * 1000) / (performance.now() - start);
          },
        };
      },
    );
    const series = await interleave(contenders, settings.fewRounds, { warmUp: false });
    const title = `${action.toUpperCase()} of 1 KiB, 32 connections`;
    return [{ name: `${action}-1k`, title, unit: 'requests/s', series }];
  },
}));
