import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { blobStoreSuite } from '@bucketware/conformance';
import { s3Blobs } from '@bucketware/s3-blobs';
import test from 'ava';
import { tcpProxy } from '../outages/tcp-proxy.js';
import { chunksOf, MIB, newId } from '../s3-blobs/fixtures.js';
import { type Gateway, s3Gateway } from '../s3-blobs/gateway.js';
import { skip } from '../s3-blobs/gateway-storage.js';

const gateway = await s3Gateway();
if (typeof gateway === 'string') skip(gateway);
else testGateway(gateway);

function testGateway(store: Gateway): void {
  const PATIENT = { timeout: 120_000 };
  let count = 0;
  const newUrl = () => store.urlOf(`case-${++count}`);
  test.after.always(() => store.stop());
  blobStoreSuite(
    (name, run) => test(name, (t) => run(t)),
    async () => {
      const url = newUrl();
      const open = () => s3Blobs({ url, ...PATIENT });
      return { store: await open(), reopen: open };
    },
    { appends: false },
  );

  test('a large blob has parts, is read across a broken connection, and is copied by the store', async (t) => {
    const proxy = await tcpProxy(Number(new URL(store.endpoint).port));
    const url = newUrl().replace(store.endpoint, `http://127.0.0.1:${proxy.port}`);
    const blobs = await s3Blobs({ url, ...PATIENT });
    const bytes = randomBytes(30 * MIB);
    const [id, copy] = [newId(), newId()];
    t.deepEqual(await blobs.write(id, chunksOf(bytes)), { size: bytes.length });
    const stream = await blobs.read(id, { start: 1, end: bytes.length });
    const chunks: Buffer[] = [];
    let left = 3;
    for await (const chunk of stream) {
      chunks.push(chunk);
      if (left > 0 && chunks.length % 50 === 0) {
        left--;
        proxy.cut();
      }
    }
    t.is(left, 0);
    t.true(Buffer.concat(chunks).equals(bytes.subarray(1)));
    await blobs.share(id, copy, bytes.length);
    await blobs.remove(id);
    t.true((await buffer(await blobs.read(copy, { start: 0, end: bytes.length }))).equals(bytes));
    await blobs.close();
    await proxy.close();
  });

  test('wrong credentials and a missing bucket are rejected', async (t) => {
    const url = newUrl();
    const wrong = { accessKeyId: 'nobody', secretAccessKey: 'wrong' };
    await t.throwsAsync(s3Blobs({ url, credentials: wrong }), { message: /does not accept/ });
    const secret = { accessKeyId: 'TESTKEY', secretAccessKey: 'wrong' };
    await t.throwsAsync(s3Blobs({ url, credentials: secret }), { message: /does not accept/ });
    const missing = url.replace(/^s3:..[^/]+/, 's3://missing');
    await t.throwsAsync(s3Blobs({ url: missing }), { message: /no such bucket/ });
  });
}
