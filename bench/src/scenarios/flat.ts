import { send } from '../load/connection.js';
import { type Contender, interleave, median, timeOf } from '../run/rounds.js';
import { BUCKET } from '../servers/fixed.js';
import { pathOf } from '../servers/ours.js';
import type { Server } from '../servers/server.js';
import { KiB, MiB } from '../settings.js';
import { put } from './objects.js';
import type { Context, Result, Scenario } from './scenario.js';

/** How many times the work is done in one measurement, whose figure is the median. */
const TIMES = 20;

const SMALL = { name: 'small', key: 'flat-small', size: KiB };

type Work = (server: Server, key: string, size: number) => () => Promise<unknown>;

/** Work that transfers no data, so its duration must not depend on the size. */
const WORKS: Readonly<Record<string, Work>> = {
  copy: ({ port }, key) => {
    const headers = { 'x-svc-copy-source': `/${BUCKET}/${key}` };
    const path = pathOf(`${key}-copy`);
    return () => send(port, { method: 'PUT', path, headers, length: 0 });
  },
  rename: ({ port }, key) => {
    let [from, to] = [`${key}-rename`, `${key}-renamed`];
    return async () => {
      const headers = { 'x-svc-rename-key': from };
      await send(port, { method: 'POST', path: pathOf(to), headers, length: 0 });
      [from, to] = [to, from];
    };
  },
  append: ({ port }, key, size) => {
    let offset = size;
    const body = [Buffer.alloc(KiB, 'a')];
    return async () => {
      const path = pathOf(`${key}-append?append&offset=${offset}`);
      await send(port, { method: 'POST', path, length: KiB, body });
      offset += KiB;
    };
  },
};

export const flat: readonly Scenario[] = Object.entries(WORKS).map(([name, work]) => ({
  name,
  run: async (context) => [await measure(context, name, work)],
}));

async function measure({ pool, settings }: Context, name: string, work: Work): Promise<Result> {
  const large = { name: 'large', key: 'flat-large', size: settings.largeBytes };
  const server = await pool.start('koa');
  try {
    const contenders: Contender[] = [];
    for (const { name: label, key, size } of [SMALL, large]) {
      await prepare(server, name, key, size);
      const once = work(server, key, size);
      const title = size < MiB ? `${size / KiB} KiB` : `${size / MiB} MiB`;
      contenders.push({ name: label, title, measure: () => medianOf(once) });
    }
    const series = await interleave(contenders, settings.rounds);
    return { name, title: `${name[0]?.toUpperCase()}${name.slice(1)}`, unit: 'ms', series };
  } finally {
    await server.stop();
  }
}

/** Creates the object for the work. */
async function prepare(server: Server, work: string, key: string, size: number): Promise<void> {
  if (work === 'copy') await put(server, key, size);
  if (work === 'rename') await put(server, `${key}-rename`, size);
  if (work !== 'append') return;
  const path = pathOf(`${key}-append?append`);
  const chunk = Buffer.alloc(Math.min(size, MiB), 'a');
  const body = Array.from({ length: size / chunk.length }, () => chunk);
  await send(server.port, { method: 'POST', path, length: size, body });
}

async function medianOf(once: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < TIMES; time++) times.push(await timeOf(once));
  return median(times);
}
