import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { CheckResult } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';
import { bodyOf, call } from '../http/raw.js';
import { many, reader, type SlowClient, writer } from '../load/clients.js';
import type { Figures } from '../load/server.js';

const MB = 1024 * 1024;
const EACH = 500;
/** How many clients of each kind stay until the server disconnects them. */
const STALLED = 100;
const STALL = 1_000;
const ROUNDS = 40;
const large = Buffer.alloc(8 * MB, 'large');

async function start(carrier: string, directory: string) {
  const child = fork(fileURLToPath(new URL('../load/server.js', import.meta.url)), {
    execArgv: ['--expose-gc'],
    env: { ...process.env, CARRIER: carrier, DIRECTORY: directory, STALL: String(STALL) },
  });
  const answer = async () => (await once(child, 'message'))[0];
  const ask = async <T>(question: string): Promise<T> => {
    child.send(question);
    return answer();
  };
  const origin: string = await answer();
  const stop = async () => {
    child.disconnect();
    if (child.exitCode === null) await once(child, 'exit');
    return child.exitCode;
  };
  const figures = () => ask<Figures>('figures');
  /**
   * The figures once `is` holds for the open descriptors, or once their number no longer changes.
   */
  const settled = async (is: (descriptors: number) => boolean) => {
    for (let look = 0; look < 200; look++) {
      if (is(await ask<number>('descriptors'))) break;
      await sleep(100);
    }
    return figures();
  };
  return { origin, figures, settled, check: () => ask<CheckResult>('check'), stop };
}

/** How long a small upload and a small download take, one after the other, in milliseconds. */
async function probe(origin: string): Promise<number> {
  const began = performance.now();
  const body = `probe ${began}`;
  const put = await call(origin, 'PUT', '/patient/bucket/probe', { body });
  const got = await call(origin, 'GET', '/patient/bucket/probe');
  if (put.status !== 200 || got.text !== body) throw new Error(`A probe of ${origin} failed.`);
  return performance.now() - began;
}

/**
 * The medians of several servers, measured in turn, so that other activity on the machine affects
 * all of them.
 */
async function medians(origins: readonly string[]): Promise<number[]> {
  const times = origins.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, origin] of origins.entries()) times[at]?.push(await probe(origin));
  }
  return times.map((of) => of.sort((a, b) => a - b)[ROUNDS >> 1] as number);
}

const third = <T>(all: readonly T[], which: number): T[] =>
  all.filter((_, index) => index % 3 === which);

/** Disconnects the clients: some gracefully, some in the middle of a transfer. */
async function leave(clients: readonly SlowClient[], whole: readonly SlowClient[]) {
  for (const client of whole) client.finish();
  const others = clients.filter((client) => !whole.includes(client));
  others.forEach(({ socket }, index) => {
    if (index % 2 === 0) socket.resetAndDestroy();
    else socket.destroy();
  });
  await Promise.all(clients.map(({ closed }) => closed));
}

/** Starts a server with a bucket and a large object, and probes it once. */
async function prepared(t: ExecutionContext, carrier: string) {
  const { path, remove } = await temporaryDirectory();
  const server = await start(carrier, path);
  t.teardown(async () => {
    await server.stop();
    await remove();
  });
  const put = (key: string, body: string | Buffer) =>
    call(server.origin, 'PUT', `/patient/bucket${key}`, { body });
  await put('', '');
  t.is((await put('/large', large)).status, 200);
  await probe(server.origin);
  return server;
}

for (const carrier of ['koa', 'express5']) {
  test.serial(
    `${carrier}: 500 slow readers and 500 slow writers delay no others, and leave nothing`,
    async (t) => {
      const [server, idle] = await Promise.all([prepared(t, carrier), prepared(t, carrier)]);
      const { origin } = server;
      const [alone = 0] = await medians([origin, idle.origin]);
      const before = await server.figures();
      const atRest = before.sockets + before.files + before.others;

      const [readers, writers] = await Promise.all([
        many(EACH, () => reader(origin, '/patient/bucket/large')),
        many(EACH, (index) => writer(origin, `/patient/bucket/slow-${index}`)),
      ]);
      // Half of the readers read nothing at all.
      const moving = [...readers.slice(EACH / 2), ...writers];
      const ticking = setInterval(() => {
        for (const { tick } of moving) tick();
      }, 1_000);
      const during = await server.settled((count) => count >= atRest + 4 * EACH);
      t.deepEqual([during.connections, during.files], [2 * EACH, 2 * EACH]);
      const [crowded = 0, beside = 0] = await medians([origin, idle.origin]);
      clearInterval(ticking);
      t.is((await server.figures()).connections, 2 * EACH, 'nobody was cut meanwhile');

      const polite = third(writers, 0);
      const patient = readers.slice(-20);
      await leave([...readers, ...writers], [...polite, ...patient]);
      for (const { received } of polite) t.regex(received().toString(), /^HTTP\/1\.1 200 /);
      for (const { received } of patient) t.true(bodyOf(received()).equals(large));

      const stalled = await Promise.all([
        many(STALLED, () => reader(origin, '/strict/bucket/large')),
        many(STALLED, (index) => writer(origin, `/strict/bucket/stalled-${index}`)),
      ]);
      await Promise.all(stalled[1].map(({ closed }) => closed));
      for (const { received } of stalled[1]) t.regex(received().toString(), /^HTTP\/1\.1 408 /);

      const after = await server.settled((count) => count <= atRest);
      for (const { socket } of stalled[0]) socket.destroy();
      const { connections, sockets, files, others } = after;
      t.deepEqual([connections, sockets, files], [0, before.sockets, 0]);
      t.true(Math.abs(others - before.others) <= 2, `${others} instead of ${before.others}`);
      t.true(after.heap - before.heap < 8 * MB, `${(after.heap - before.heap) / MB} MB of heap`);
      t.true(after.buffers - before.buffers < 8 * MB);

      const { objects, blobs, missing, orphans } = await server.check();
      t.deepEqual([missing, orphans], [[], []]);
      t.deepEqual([objects, blobs], [polite.length + 2, polite.length + 1]);

      const mb = (bytes: number) => `${Math.round(bytes / MB)} MB`;
      const figures = (of: (figures: Figures) => number) => [before, during, after].map(of).map(mb);
      t.log(
        [
          `probe: ${alone.toFixed(1)} ms alone, ${crowded.toFixed(1)} ms among ${2 * EACH},`,
          `${beside.toFixed(1)} ms at an idle server beside it; before, during, after:`,
          `buffers ${figures(({ buffers }) => buffers)}; heap ${figures(({ heap }) => heap)};`,
          `resident ${figures(({ resident }) => resident)}`,
        ].join(' '),
      );
      t.true(crowded < 5 * beside, `${crowded} ms instead of ${beside}`);
    },
  );
}
