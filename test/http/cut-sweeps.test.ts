import type { Damage } from '@bucketware/core';
import test from 'ava';
import { block, createFixture, delegate } from './soundness.js';

const bucket = 'bucket';

for (const how of ['aborted', 'in a deleted bucket', 'in a bucket whose name is used again']) {
  test(`a sweep that is interrupted in uploads that are ${how} causes no damage`, async (t) => {
    let left = Number.POSITIVE_INFINITY;
    const place = await createFixture({
      blobs: (inner) =>
        Object.assign(delegate(inner), {
          async remove(id: string) {
            if (left-- <= 0) throw new Error('The process was killed.');
            await inner.remove(id);
          },
        }),
    });
    t.teardown(place.close);
    const { storage } = place;
    for (const name of [bucket, 'other']) {
      await storage.putBucket({ bucket: name });
      for (let at = 0; at < 3; at++) {
        const upload = await storage.initiateMultipartUpload({ bucket: name, key: `key ${at}` });
        for (const partNumber of [1, 2]) {
          await storage.uploadPart({ ...upload, partNumber, body: block('x') });
        }
      }
    }
    const { uploads } = await storage.listMultipartUploads({ bucket });
    if (how === 'aborted') {
      for (const { key, uploadId } of uploads) {
        await storage.abortMultipartUpload({ bucket, key, uploadId });
      }
    } else {
      await storage.deleteBucket({ bucket });
      if (how.endsWith('again')) await storage.putBucket({ bucket });
    }
    place.wait();
    left = 3;
    await t.throwsAsync(storage.sweep(), { message: /killed/ });
    left = Number.POSITIVE_INFINITY;

    await place.reopen();
    const sound = async () => {
      const { missing, orphans } = await place.storage.check();
      t.deepEqual({ missing, orphans }, { missing: [], orphans: [] });
      t.is((await place.storage.scrub()).found, 0);
    };
    await sound();
    // The lost data of an unfinished upload is still found.
    const record = (await place.metadata.list({ prefix: 'p/', limit: 100 })).at(-1);
    const part = record?.value as { content: { segments: { blob: string }[] } } | undefined;
    const lost = part?.content.segments[0]?.blob as string;
    await place.blobs.remove(lost);
    t.deepEqual((await place.storage.check()).missing, [lost]);
    t.deepEqual(
      (await place.storage.scrub()).damaged.map(({ blob, problem }: Damage) => [blob, problem]),
      [[lost, 'missing']],
    );
    await place.storage.sweep();
    t.deepEqual((await place.storage.check()).missing, [lost]);
  });
}
