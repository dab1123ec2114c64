import { toWebHandler } from '@bucketware/web';
import test from 'ava';
import { turnsDuring } from '../drivers/fixtures.js';
import { alice, memoryStorage } from './servers.js';

const TIMES = 30;
const many = (call: () => Promise<unknown>) => () =>
  Promise.all(Array.from({ length: TIMES }, call));

test('preflights against the largest CORS rules let other requests run', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  const own = storage.as(alice);
  const handle = toWebHandler(storage, { mount: '/storage', principal: () => alice });
  const headers = {
    origin: 'https://app.example',
    'access-control-request-method': 'GET',
    'access-control-request-headers': Array.from({ length: 100 }, (_, at) => `a${at}`).join(),
  };
  const preflight = (bucket: string) => async () => {
    const request = new Request(`http://localhost/storage/${bucket}/key`, {
      method: 'OPTIONS',
      headers,
    });
    const response = await handle(request);
    t.is(response.status, 403);
  };
  const turns: number[] = [];
  for (const [bucket, length] of [
    ['small', 1],
    ['large', 3000],
  ] as const) {
    await own.putBucket({ bucket });
    const allowedHeaders = Array.from({ length }, () => '*z');
    const rule = { allowedOrigins: ['*'], allowedMethods: ['GET'], allowedHeaders };
    await own.putBucketCors({ bucket, corsConfiguration: [rule] });
    turns.push(await turnsDuring(many(preflight(bucket))));
  }
  const [small = 0, large = 0] = turns;
  t.true(small < TIMES, `${small}`);
  t.true(large >= TIMES, `${large}`);
});

test('reading the parts of objects lets other requests run', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  const own = storage.as(alice);
  const bucket = 'bucket';
  await own.putBucket({ bucket });
  const upload = { bucket, key: 'key', checksumAlgorithm: 'crc32' } as const;
  const { uploadId } = await own.initiateMultipartUpload(upload);
  const part = { bucket, key: 'key', uploadId };
  const { etag } = await own.uploadPart({ ...part, partNumber: 1, body: 'a' });
  await own.completeMultipartUpload({ ...part, parts: [{ partNumber: 1, eTag: etag }] });
  const read = () => own.getObjectAttributes({ bucket, key: 'key' });
  t.is((await read()).parts?.count, 1);
  // Four of one caller at a time.
  const turns = await turnsDuring(many(read));
  t.true(turns >= TIMES / 4, `${turns}`);
});
