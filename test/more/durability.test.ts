import { createHash, randomBytes } from 'node:crypto';
import { openStorage } from '@bucketware/storage';
import test from 'ava';
import { temporaryDirectory } from '../drivers/fixtures.js';
import { EXAMPLES, startExample } from '../http/example-app.js';
import { call } from '../http/raw.js';

const BUCKET = '/storage/bucket';

/** Data that contains its own digest, so that a mixture of two bodies is detected. */
function sealed(size: number): Buffer {
  const body = randomBytes(size);
  return Buffer.concat([createHash('sha256').update(body).digest(), body]);
}

const isSealed = (bytes: Buffer): boolean =>
  createHash('sha256').update(bytes.subarray(32)).digest().equals(bytes.subarray(0, 32));

for (const example of EXAMPLES) {
  test.serial(
    `${example}: acknowledged changes survive kill -9, and others leave the old or the new state`,
    async (t) => {
      const { path, remove } = await temporaryDirectory();
      t.teardown(remove);
      /**
       * The last acknowledged content of each key, and the content that was being sent. `null`:
       * deleted.
       */
      const answered = new Map<string, Buffer | null>();
      const pending = new Map<string, Buffer | null>();
      let first = true;

      for (const acknowledgements of [5, 40, 120]) {
        const app = await startExample(example, path);
        if (first) t.is((await call(app.origin, 'PUT', BUCKET)).status, 200);
        first = false;

        let count = 0;
        let killed = false;
        const worker = async (name: string) => {
          for (let round = 0; !killed; round++) {
            const key = `${name}/${round % 4}`;
            const remove = round % 7 === 6 && answered.get(key) != null;
            const body = remove ? null : sealed(round % 3 === 0 ? 150_000 : 500);
            pending.set(key, body);
            try {
              const target = `${BUCKET}/${key}`;
              const answer = body
                ? await call(app.origin, 'PUT', target, { body })
                : await call(app.origin, 'DELETE', target);
              if (answer.status >= 300) t.fail(`${answer.status} ${answer.text}`);
            } catch {
              return; // The process has ended, so the outcome is unknown.
            }
            answered.set(key, body);
            pending.delete(key);
            if (++count === acknowledgements) {
              killed = true;
              app.process.kill('SIGKILL');
            }
          }
        };
        await Promise.all(['a', 'b', 'c', 'd'].map(worker));
        t.is((await app.stop('SIGKILL')).signal, 'SIGKILL');

        const again = await startExample(example, path);
        for (const key of new Set([...answered.keys(), ...pending.keys()])) {
          const found = await call(again.origin, 'GET', `${BUCKET}/${key}`);
          const last = answered.get(key) ?? null;
          const possible = pending.has(key) ? [last, pending.get(key) ?? null] : [last];
          const matches = possible.some((body) =>
            body === null ? found.status === 404 : found.status === 200 && found.body.equals(body),
          );
          t.true(matches, `${key} after ${acknowledgements}: ${found.status}`);
          t.true(found.status !== 200 || isSealed(found.body));
          answered.set(key, found.status === 200 ? found.body : null);
        }
        pending.clear();
        t.deepEqual(await again.stop('SIGTERM'), { code: 0, signal: null });
        t.is(again.errors(), '');
      }

      let time = Date.now();
      const storage = await openStorage({ directory: path, sweepEvery: false, now: () => time });
      time += 30 * 24 * 60 * 60 * 1000;
      await storage.sweep();
      const { missing, orphans, blobs } = await storage.check();
      const large = [...answered.values()].filter((body) => (body?.length ?? 0) > 65_536);
      t.deepEqual({ missing, orphans, blobs }, { missing: [], orphans: [], blobs: large.length });
      await storage.close();
    },
  );
}
