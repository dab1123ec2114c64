import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test from 'ava';
import { call } from './raw.js';
import { alice, listen, onKoa } from './servers.js';

const broken = () => new Error('the disk is gone');

for (const [how, onError] of [
  [
    'throws',
    () => {
      throw new Error('the log is full');
    },
  ],
  ['rejects', () => Promise.reject(new Error('the log is full'))],
] as const) {
  test.serial(
    `an onError that ${how} neither changes a response nor ends the process`,
    async (t) => {
      const warnings: string[] = [];
      const onWarning = ({ message }: Error) => warnings.push(message);
      process.on('warning', onWarning);
      t.teardown(() => process.off('warning', onWarning));
      const metadata = memoryMetadata();
      const blobs = memoryBlobs();
      const storage = await createObjectStorage({ metadata, blobs, sweepEvery: 10, onError });
      await storage.as(alice).putBucket({ bucket: 'bucket' });
      const { origin, close } = await listen(onKoa(storage, { onError }));
      t.teardown(close);
      metadata.getMany = () => Promise.reject(broken());
      metadata.list = () => Promise.reject(broken());
      t.is((await call(origin, 'GET', '/bucket/key')).status, 500);
      await new Promise((resolve) => setTimeout(resolve, 50));
      t.true(warnings.filter((text) => text.includes('the log is full')).length > 1);
      await storage.close().catch(() => undefined);
    },
  );
}
