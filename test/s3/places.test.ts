import { once } from 'node:events';
import { createServer as createPlain, Agent as HttpAgent, request } from 'node:http';
import { createServer as createSecure, Agent as HttpsAgent, request as secure } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  CreateBucketCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { HandlerOptions } from '@bucketware/core';
import { s3 } from '@bucketware/s3';
import test from 'ava';
import { carriers } from '../http/carriers.js';
import { alice, memoryStorage, onKoa } from '../http/servers.js';
import { credentials, KEYS } from './servers.js';

interface Place {
  readonly carrier: keyof typeof carriers;
  readonly scheme: 'http' | 'https';
  readonly options: HandlerOptions;
  /** Without it, clients use their default: the bucket is in the host name. */
  readonly forcePathStyle?: true;
}

const HOST = 's3.test';
const PLACES: Readonly<Record<string, Place>> = {
  'http at /': { carrier: 'express4', scheme: 'http', options: {}, forcePathStyle: true },
  'https at /': { carrier: 'koa', scheme: 'https', options: {}, forcePathStyle: true },
  'https at /s3': {
    ...{ carrier: 'express5', scheme: 'https', options: { mount: '/s3' } },
    forcePathStyle: true,
  },
  'http at a host name of its own': { carrier: 'node', scheme: 'http', options: { host: HOST } },
  'https at a host name of its own': { carrier: 'koa', scheme: 'https', options: { host: HOST } },
};

/** TLS without certificates, which would expire. */
const TLS = { ciphers: 'AECDH-AES128-SHA:@SECLEVEL=0', maxVersion: 'TLSv1.2' } as const;

/** Resolves every name to this machine. */
const lookup: LookupFunction = (_, { all }, done) =>
  all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);
/** Agents for one client, which closes them. */
const agents = () => ({
  httpAgent: new HttpAgent({ lookup }),
  httpsAgent: new HttpsAgent({ lookup, rejectUnauthorized: false, ...TLS }),
});

/** A request as a browser or curl sends it: a form, or the bytes of a file. */
async function send(url: string, method = 'GET', body?: FormData | string) {
  const message = new Response(body ?? null);
  const isForm = body instanceof FormData;
  const headers = isForm ? { 'content-type': message.headers.get('content-type') as string } : {};
  const bytes = Buffer.from(await message.arrayBuffer());
  const { httpAgent, httpsAgent } = agents();
  const req = url.startsWith('https:')
    ? secure(url, { method, headers, agent: httpsAgent })
    : request(url, { method, headers, agent: httpAgent });
  req.end(bytes);
  const [answer] = await once(req, 'response');
  return { status: answer.statusCode, text: (await buffer(answer)).toString() };
}

for (const [name, { carrier, scheme, options, forcePathStyle }] of Object.entries(PLACES)) {
  test(`${name} the JavaScript SDK works with its defaults, and so do its links and forms`, async (t) => {
    const failures: unknown[] = [];
    const onError = (error: unknown) => failures.push(error);
    const storage = await memoryStorage({ onError });
    const dialect = s3({ credentials });
    const listener = carriers[carrier](storage, { ...options, dialect, onError });
    const server = scheme === 'http' ? createPlain(listener) : createSecure(TLS, listener);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const endpoint = `${scheme}://${options.host ?? '127.0.0.1'}:${port}${options.mount ?? ''}`;
    const config = { endpoint, region: 'us-east-1', forcePathStyle, credentials: KEYS.alice };
    const client = new S3Client({ ...config, requestHandler: agents() } as object);
    t.teardown(async () => {
      client.destroy();
      server.close();
      server.closeAllConnections();
      await storage.close();
    });

    const Bucket = 'place';
    const read = async (Key: string) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []).toString();
    };
    await client.send(new CreateBucketCommand({ Bucket }));
    await client.send(new PutObjectCommand({ Bucket, Key: 'a/ü b', Body: Buffer.from('buffer') }));
    t.is(await read('a/ü b'), 'buffer');
    const Body = Readable.from([Buffer.from('str'), Buffer.from('eam')]);
    const streamed = { Bucket, Key: 'stream', Body, ContentLength: 6 };
    t.truthy((await client.send(new PutObjectCommand(streamed))).ChecksumCRC32);
    t.is(await read('stream'), 'stream');
    const large = 'abcdefg'.repeat(800_000);
    const upload = { Bucket, Key: 'large', Body: Readable.from([Buffer.from(large)]) };
    t.regex((await new Upload({ client, params: upload }).done()).ETag ?? '', /-2"$/);
    t.true((await read('large')) === large);

    const link = { Bucket, Key: 'link +' };
    const put = await getSignedUrl(client, new PutObjectCommand(link));
    t.is((await send(put, 'PUT', 'linked')).status, 200);
    const get = await getSignedUrl(client, new GetObjectCommand(link));
    t.deepEqual(await send(get), { status: 200, text: 'linked' });
    t.is((await send(get.replace('link%20%2B', 'large'))).status, 403);

    const { url, fields } = await createPresignedPost(client, { Bucket, Key: 'form' });
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    form.set('file', new Blob(['posted']), 'name');
    const posted = await send(url, 'POST', form);
    t.is(posted.status, 204, posted.text);
    t.is(await read('form'), 'posted');
    t.deepEqual(failures, []);
  });
}

test('a host name that maps to a bucket is signed as it is', async (t) => {
  const storage = await memoryStorage();
  const dialect = s3({ credentials });
  const hosts = { 'cdn.test': 'place' };
  const server = createPlain(onKoa(storage, { mount: '/s3', hosts, dialect }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const config = { endpoint: `http://cdn.test:${port}`, region: 'us-east-1', bucketEndpoint: true };
  const requestHandler = agents();
  const client = new S3Client({ ...config, requestHandler, credentials: KEYS.alice } as object);
  t.teardown(async () => {
    client.destroy();
    server.close();
    server.closeAllConnections();
    await storage.close();
  });
  await storage.as(alice).putBucket({ bucket: 'place' });
  const object = { Bucket: `http://cdn.test:${port}`, Key: 's3/place/key' };
  await client.send(new PutObjectCommand({ ...object, Body: 'text' }));
  const stored = await storage.getObject({ bucket: 'place', key: object.Key });
  t.is(await stored.body.toArray().then((chunks) => chunks.join('')), 'text');
  const link = await getSignedUrl(client, new GetObjectCommand(object));
  t.true(link.startsWith(`http://cdn.test:${port}/s3/place/key?`), link);
  t.deepEqual(await send(link), { status: 200, text: 'text' });
  t.is((await send(link.replace('cdn.test', '127.0.0.1'))).status, 403);
});
