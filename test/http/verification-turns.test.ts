import { s3 } from '@bucketware/s3';
import { toWebHandler } from '@bucketware/web';
import test from 'ava';
import { turnsDuring } from '../drivers/fixtures.js';
import { alice, memoryStorage } from './servers.js';

const TIMES = 300;

test('verifying long signed headers lets other requests run', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const credentials = { AKALICE: { secret: 'secret', principal: alice } };
  const principal = () => undefined;
  const time = `${new Date().toISOString().slice(0, 19)}Z`;
  const date = time.replace(/[-:]/g, '');
  const zeros = '0'.repeat(64);
  const v4 = [
    `Credential=AKNONE/${date.slice(0, 8)}/us-east-1/s3/aws4_request`,
    `SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-q, Signature=${zeros}`,
  ];
  for (const [handle, authorization, others] of [
    [
      toWebHandler(storage, { principal, credentials }),
      `bce-auth-v1/AKNONE/${time}/1800/host;x-q/${zeros}`,
      {},
    ],
    [
      toWebHandler(storage, { principal, dialect: s3({ credentials }) }),
      `AWS4-HMAC-SHA256 ${v4.join(', ')}`,
      { 'x-amz-date': date, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    ],
  ] as const) {
    const headers = { authorization, 'x-q': 'a "'.repeat(10_000), ...others };
    const send = async () => {
      const response = await handle(new Request('http://localhost/bucket', { headers }));
      const text = await response.text();
      t.regex(text, /InvalidAccessKeyId/);
    };
    const turns = await turnsDuring(() => Promise.all(Array.from({ length: TIMES }, send)));
    t.true(turns >= 5, `${turns}`);
  }
});
