import { CreateBucketCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { storageMiddleware } from '@bucketware/express';
import test from 'ava';
import express from 'express';
import { call, open } from '../http/raw.js';
import { type Carry, onNode } from '../http/servers.js';
import { outcomeOf, type RunningS3, startS3 } from './servers.js';

/** A body parser of the host that reads every body and keeps its bytes. */
const behindRaw: Carry = (storage, options) => {
  const app = express();
  app.use(express.raw({ type: () => true, limit: '5mb' }));
  app.use(storageMiddleware(storage, { ...options, principal: () => undefined }));
  return app;
};

const hosts = { 'node:http': onNode, 'express.raw()': behindRaw };

for (const [name, carry] of Object.entries(hosts)) {
  let server: RunningS3;
  test.before(async () => {
    server = await startS3(carry);
    const Bucket = 'bucket';
    await server.client().send(new CreateBucketCommand({ Bucket, ACL: 'public-read-write' }));
  });
  test.after.always(() => server.close());
  test.after(`${name}: no request caused an internal failure`, (t) =>
    t.deepEqual(server.failures, []),
  );

  const send = async (method: string, path: string, headers: object, body: string) => {
    const answer = await call(server.origin, method, path, {
      ...{ as: '', body },
      headers: headers as Record<string, string>,
    });
    return /<Code>(\w+)<\/Code>/.exec(answer.text)?.[1] ?? answer.status;
  };
  const find = (Key: string) =>
    outcomeOf(server.client().send(new HeadObjectCommand({ Bucket: 'bucket', Key })));

  test(`${name}: a body is compared with its checksums, however it is read`, async (t) => {
    const chunked = {
      'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      'x-amz-decoded-content-length': '5',
    };
    const trailing = { ...chunked, 'x-amz-trailer': 'x-amz-checksum-crc32' };
    const withTrailer = (value: string) =>
      `5\r\nhello\r\n0\r\nx-amz-checksum-crc32:${value}\r\n\r\n`;
    const zeros = Buffer.alloc(32).toString('base64');
    const wrong: Record<string, readonly [headers: object, body: string, code: string]> = {
      hash: [{ 'x-amz-content-sha256': '0'.repeat(64) }, 'hello', 'XAmzContentSHA256Mismatch'],
      md5: [{ 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' }, 'hello', 'BadDigest'],
      sha256: [{ 'x-amz-checksum-sha256': zeros }, 'hello', 'BadDigest'],
      crc32: [{ 'x-amz-checksum-crc32': 'AAAAAA==' }, 'hello', 'BadDigest'],
      crc32c: [{ 'x-amz-checksum-crc32c': 'AAAAAA==' }, 'hello', 'BadDigest'],
      trailer: [trailing, withTrailer('AAAAAA=='), 'BadDigest'],
      size: [chunked, '4\r\nhell\r\n0\r\n\r\n', 'IncompleteBody'],
      framed: [
        { 'x-amz-decoded-content-length': '5' },
        '5\r\nhello\r\n0\r\n\r\n',
        'InvalidRequest',
      ],
      junk: [{ ...chunked, 'x-amz-decoded-content-length': '0' }, 'junk', 'IncompleteBody'],
    };
    for (const [key, [headers, body, code]] of Object.entries(wrong)) {
      t.is(await send('PUT', `/s3/bucket/${key}`, headers, body), code, key);
      t.is(await find(key), '404 NotFound', key);
    }
    const crc = { 'x-amz-checksum-crc32': 'NhCmhg==' };
    const sized = { 'x-amz-decoded-content-length': '5' };
    const right = [
      [crc, 'hello'] as const,
      [sized, 'hello'] as const,
      [trailing, withTrailer('NhCmhg==')] as const,
    ];
    for (const [headers, body] of right) {
      t.is(await send('PUT', '/s3/bucket/good', headers, body), 200);
    }
    const listed = '<Delete><Object><Key>good</Key></Object></Delete>';
    for (const sum of [
      { 'x-amz-checksum-crc32': 'AAAAAA==' },
      { 'x-amz-checksum-sha256': zeros },
    ]) {
      t.is(await send('POST', '/s3/bucket?delete', sum, listed), 'BadDigest');
    }
    t.is(await find('good'), 'done');
    const other = listed.replace('good', 'other');
    t.is(await send('POST', '/s3/bucket?delete', {}, other), 200);
    const inChunks = `${listed.length.toString(16)}\r\n${listed}\r\n0\r\n\r\n`;
    const coded = { ...chunked, 'x-amz-decoded-content-length': `${listed.length}` };
    t.is(await send('POST', '/s3/bucket?delete', coded, inChunks), 200);
    t.is(await find('good'), '404 NotFound');
  });
}

test('a body whose chunks are malformed is rejected at once, whatever its announced length', async (t) => {
  const server = await startS3(onNode);
  t.teardown(() => server.close());
  const Bucket = 'bucket';
  await server.client().send(new CreateBucketCommand({ Bucket, ACL: 'public-read-write' }));
  const framings = ['Content-Length: 400000000', 'Transfer-Encoding: chunked'];
  for (const framing of framings) {
    for (const size of [0, 5]) {
      const { socket, closed, received } = await open(server.origin);
      const head = [
        'PUT /s3/bucket/key HTTP/1.1',
        'Host: x',
        'x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER',
        `x-amz-decoded-content-length: ${size}`,
        `${framing}\r\n\r\n`,
      ].join('\r\n');
      const junk = 'x'.repeat(1000);
      socket.write(head + (framing.startsWith('C') ? junk : `3e8\r\n${junk}\r\n`));
      // It may take any time, but must come before the rest of the body.
      await new Promise((resolve) => socket.once('data', resolve));
      t.regex(received().toString(), /IncompleteBody/, framing);
      socket.destroy();
      await closed;
    }
  }
});
