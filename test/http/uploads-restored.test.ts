import {
  createObjectStorage,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
} from '@bucketware/core';
import test from 'ava';
import { goBack, recordsOf } from './restored-records.js';

const DAY = 24 * 60 * 60 * 1000;
const bucket = 'photos';
const key = 'film';
const large = (fill: string): Buffer => Buffer.alloc(200_000, fill);

/** What happens to the upload after two of its parts have arrived. */
const CHANGES: Record<string, (storage: ObjectStorage, uploadId: string) => Promise<unknown>> = {
  'was aborted': (storage, uploadId) => storage.abortMultipartUpload({ bucket, key, uploadId }),
  'ended with its bucket': (storage) => storage.deleteBucket({ bucket }),
  'got another second part': (storage, uploadId) =>
    storage.uploadPart({ bucket, key, uploadId, partNumber: 2, body: large('x') }),
  'was completed with only one part': async (storage, uploadId) => {
    const { parts } = await storage.listParts({ bucket, key, uploadId });
    const first = parts.slice(0, 1);
    await storage.completeMultipartUpload({ bucket, key, uploadId, parts: first });
  },
  'was completed, and its parts were joined': async (storage, uploadId) => {
    await storage.uploadPart({ bucket, key, uploadId, partNumber: 3, body: large('c') });
    const { parts } = await storage.listParts({ bucket, key, uploadId });
    await storage.completeMultipartUpload({ bucket, key, uploadId, parts });
  },
};

for (const [what, change] of Object.entries(CHANGES)) {
  test(`an upload that ${what} continues in a database that went back`, async (t) => {
    const metadata = memoryMetadata();
    let time = Date.now();
    const storage = await createObjectStorage({
      ...{ metadata, blobs: memoryBlobs(), now: () => time },
      ...{ readGrace: 7 * DAY, sweepEvery: false, maxSegments: 2, reservedBlobs: 0 },
    });
    await storage.putBucket({ bucket });
    const { uploadId } = await storage.initiateMultipartUpload({ bucket, key });
    const upload = { bucket, key, uploadId };
    const put = (partNumber: number, fill: string) =>
      storage.uploadPart({ ...upload, partNumber, body: large(fill) });
    await put(1, 'a');
    await put(2, 'b');
    const earlier = await recordsOf(metadata);
    await change(storage, uploadId);
    time += 6 * DAY;
    await storage.sweep();

    const later = await recordsOf(metadata);
    await goBack(metadata, earlier);
    t.deepEqual((await storage.check()).missing, []);
    const { parts } = await storage.listParts(upload);
    await storage.completeMultipartUpload({ ...upload, parts });
    const whole = await (await storage.getObject({ bucket, key })).bytes();
    t.true(whole.equals(Buffer.concat([large('a'), large('b')])));

    await goBack(metadata, later);
    time += DAY;
    await storage.sweep();
    t.deepEqual((await storage.check()).missing, []);
    await storage.close();
  });
}
