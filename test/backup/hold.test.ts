import { join } from 'node:path';
import { mock } from 'node:test';
import { createObjectStorage } from '@bucketware/core';
import { memoryBlobs, memoryMetadata } from '@bucketware/core/memory';
import test from 'ava';
import { directoryOf } from '../drivers/fixtures.js';
import { fill, gated } from './fixtures.js';

const MINUTE = 60_000;

test('a backup renews its lease, and fails if the storage no longer waits for it', async (t) => {
  const { slow, reached, open } = gated(memoryBlobs(), 'read');
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
  await reached;
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
