import { createObjectStorage, memoryBlobs } from '@bucketware/core';
import { lmdbMetadata } from '@bucketware/lmdb';
import { FEW, fill, MANY } from '../fill.js';
import { perSecond, type Row } from '../report.js';
import { rateOf } from '../rounds.js';
import { withDirectory } from '../servers.js';
import { sizes } from '../sizes.js';

/** Rules that are asked about every object of the listing benchmark's buckets, and match none. */
export async function* lifecycle(): AsyncGenerator<Row> {
  const row = await withDirectory(async (directory) => {
    await fill(directory);
    const metadata = await lmdbMetadata({ directory: `${directory}/records` });
    const blobs = await claimed(metadata);
    const storage = await createObjectStorage({ metadata, blobs, sweepEvery: false });
    try {
      for (const bucket of [FEW, MANY]) {
        const expires = { afterDays: 365 };
        const rule = { status: 'enabled', resource: [`${bucket}/`], expires } as const;
        await storage.putBucketLifecycle({ bucket, rule: [{ ...rule, action: 'DeleteObject' }] });
      }
      const objects = sizes.fewObjects + sizes.manyObjects;
      const before = process.memoryUsage().heapUsed;
      const rate = await rateOf(objects, () => storage.lifecycle.run());
      const growth = Math.max(process.memoryUsage().heapUsed - before, 0) / 1e6;
      return {
        benchmark: 'lifecycle',
        what: `records judged of ${objects}, heap grew by ${Math.round(growth)} MB`,
        ours: perSecond(rate),
        against: '',
        target: '>= 100000/s',
        met: rate >= 100_000,
      };
    } finally {
      await storage.close();
    }
  });
  yield row;
}

/** Bytes that say they belong to the records; none is read here. */
async function claimed(metadata: Awaited<ReturnType<typeof lmdbMetadata>>) {
  const blobs = memoryBlobs();
  const entry = await metadata.get('s/store');
  if (entry === undefined) throw new Error('The records do not say whose they are.');
  await blobs.identify((entry.value as { id: string }).id);
  return blobs;
}
