import { setTimeout as sleep } from 'node:timers/promises';
import { presignS3 } from '@bucketware/signature';
import test from 'ava';
import { dial } from '../http/raw.js';
import { alice, bob, onKoa } from '../http/servers.js';
import { KEYS, startS3 } from './servers.js';

test('a bucket that gets a new owner before the body has arrived is not reported as the caller’s', async (t) => {
  const { storage, origin, url, close } = await startS3(onKoa);
  t.teardown(close);
  const bucket = 'bucket';
  await storage.as(bob).putBucket({ bucket });
  const signer = { accessKey: 'AKBOB', secret: KEYS.bob.secretAccessKey };
  const target = { publicUrl: url, method: 'PUT', path: `/${bucket}`, expires: 60 };
  const { host, pathname, search } = new URL(presignS3(signer, { ...target, now: Date.now() }));
  const body = '<CreateBucketConfiguration/>';
  const head = [`PUT ${pathname}${search} HTTP/1.1`, `Host: ${host}`, 'Connection: close'];
  const socket = await dial(origin);
  socket.write(
    `${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
  );
  await sleep(100);
  await storage.as(bob).deleteBucket({ bucket });
  await storage.as(alice).putBucket({ bucket });
  const answer = socket.toArray();
  socket.write(body.slice(-1));
  const text = Buffer.concat(await answer).toString();
  t.regex(text, /^HTTP\/1.1 409 .*<Code>BucketAlreadyExists</s);
  t.notRegex(text, /yours|OwnedByYou/);
  t.deepEqual((await storage.headBucket({ bucket })).owner, alice);
});
