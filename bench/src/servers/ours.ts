import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { send } from '../load/connection.js';
import { freePort, startCommand, startProgram } from '../run/processes.js';
import { BUCKET } from './fixed.js';
import { type Kind, plain } from './kind.js';

export const program = (name: string): string =>
  fileURLToPath(new URL(`../programs/${name}.js`, import.meta.url));

/** `BENCH_NODE` may contain options for Node, such as `--cpu-prof`. */
const execArgv = process.env.BENCH_NODE?.split(' ') ?? [];

export const pathOf = (key: string): string => `/storage/${BUCKET}/${key}`;

const storage = (name: 'koa' | 'express', title: string): Kind => ({
  name,
  title,
  syncs: true,
  start: ({ directory }) => startProgram(program('storage'), [name, directory], { execArgv }),
  call: plain(`/storage/${BUCKET}`),
});

const CLUSTER = fileURLToPath(
  new URL('../../../examples/cluster-app/dist/main.js', import.meta.url),
);
const ALICE = { Authorization: 'Bearer alice' };

/** The example app with several processes on one storage. */
const cluster = (workers: number): Kind => ({
  name: `cluster-${workers}`,
  title: workers === 1 ? 'cluster-app, 1 process' : `cluster-app, ${workers} processes`,
  syncs: true,
  async start({ directory }) {
    const port = await freePort();
    const env = { PORT: String(port), DATA_DIR: join(directory, 'data'), WORKERS: String(workers) };
    return startCommand(process.execPath, [CLUSTER], port, env);
  },
  prepare: (port) =>
    send(port, { method: 'PUT', path: `/storage/${BUCKET}`, headers: ALICE, length: 0 }),
  call: plain(`/storage/${BUCKET}`, ALICE),
});

export const ours: readonly Kind[] = [
  storage('koa', 'Bucketware on Koa'),
  storage('express', 'Bucketware on Express'),
  cluster(1),
  cluster(2),
];
