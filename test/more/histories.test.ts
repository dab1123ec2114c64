import { setTimeout as sleep } from 'node:timers/promises';
import { openStorage } from '@bucketware/storage';
import test from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';
import { Client, Recorder } from '../histories/client.js';
import { happened } from '../histories/objects.js';
import { type ExampleApp, startExample } from '../http/example-app.js';

const CLIENTS = 16;
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
/** Seconds between two kills. */
const LIVES = (process.env.HISTORY_LIVES ?? '1.5 1.2 1.2').split(' ').map(Number);

test.serial(
  'the results of 16 clients during kills and restarts are consistent with one order for each key',
  async (t) => {
    t.timeout(300_000);
    const { path, remove } = await temporaryDirectory();
    t.teardown(remove);
    const recorder = new Recorder();
    let app: ExampleApp | undefined;
    let stopping = false;
    let starting = startExample('koa-app', path);
    const server = async () => (await starting).origin;
    const clients = Array.from(
      { length: CLIENTS },
      (_, index) => new Client(`c${index}`, KEYS, recorder, server),
    );
    app = await starting;
    await (clients[0] as Client).prepare();
    const work = Promise.all(clients.map((client) => client.work(() => stopping)));
    for (const [index, seconds] of LIVES.entries()) {
      await sleep(seconds * 1000);
      if (index === LIVES.length - 1) break;
      // From now on, clients without a response wait for the next server.
      const dying = app;
      starting = dying.stop('SIGKILL').then(() => {
        recorder.serverIsGone();
        return startExample('koa-app', path);
      });
      app = await starting;
    }
    stopping = true;
    await work;
    for (const key of KEYS) await (clients[0] as Client).get(key);
    t.deepEqual(await app.stop('SIGTERM'), { code: 0, signal: null });
    t.deepEqual(recorder.unexpected, []);

    let looked = 0;
    let unanswered = 0;
    let count = 0;
    for (const key of KEYS) {
      const events = recorder.eventsOf(key);
      const verdict = happened(events);
      const near = events
        .sort((a, b) => a.called - b.called)
        .slice(Math.max(0, verdict.placed - 20), verdict.placed + 20);
      t.true(verdict.ok, `${key}: ${near.map((event) => JSON.stringify(event)).join('\n')}`);
      looked += verdict.looked;
      count += events.length;
      unanswered += events.filter(({ output }) => output === undefined).length;
    }
    t.true(count > 100);
    t.log(
      `${KEYS.length} histories of ${count} calls through ${LIVES.length - 1} kills, ` +
        `${unanswered} without an answer; ${looked} states looked at`,
    );

    const now = () => Date.now() + 30 * 24 * 3600 * 1000;
    const storage = await openStorage({ directory: path, sweepEvery: false, now });
    await storage.sweep();
    const { missing, orphans } = await storage.check();
    t.deepEqual({ missing, orphans }, { missing: [], orphans: [] });
    await storage.close();
  },
);
