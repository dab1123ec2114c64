import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { mock } from 'node:test';
import { type BlobStore, createObjectStorage } from '@bucketware/core';
import { memoryBlobs, memoryMetadata } from '@bucketware/core/memory';
import test from 'ava';
import { directoryOf } from '../drivers/fixtures.js';
import { fill } from './fixtures.js';

const MINUTE = 60_000;

/** A blob store whose blobs cannot be read before `open` is called. */
function gated(blobs: BlobStore) {
  const events = new PassThrough();
  const reading = once(events, 'reading');
  const opening = once(events, 'open');
  const read: BlobStore['read'] = async (id, range) => {
    events.emit('reading');
    await opening;
    return blobs.read(id, range);
  };
  const slow = new Proxy(blobs, {
    get(target, name) {
      if (name === 'read') return read;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { slow, reading, open: () => events.emit('open') };
}

test('a backup renews its lease, and fails if the storage no longer waits for it', async (t) => {
  const { slow, reading, open } = gated(memoryBlobs());
  let later = 0;
  const storage = await createObjectStorage({
    ...{ metadata: memoryMetadata(), blobs: slow, now: () => Date.now() + later },
    ...{ readGrace: 0, sweepEvery: false, onError: () => {} },
  });
  await fill(storage);
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const running = storage.backup(join(await directoryOf(t), 'backup'));
  const failed = t.throwsAsync(running, { message: /stopped waiting for the backup/ });
  await reading;
  await storage.deleteObject({ bucket: 'notes', key: 'large' });
  for (let minutes = 0; minutes < 12; minutes += 4) {
    later = minutes * MINUTE;
    t.is((await storage.sweep()).removed, 0, `after ${minutes} minutes`);
    mock.timers.tick(20_000);
    await new Promise(setImmediate);
  }
  later = 12 * MINUTE;
  t.is((await storage.sweep()).removed, 0);
  later = 18 * MINUTE;
  t.true((await storage.sweep()).removed > 0);
  open();
  await failed;
  await storage.close();
});
