import type { HandlerOptions } from '@bucketware/core';
import type { Operation } from '@bucketware/core/dialect';
import { s3 } from '@bucketware/s3';
import { presignS3, presignV1, signS3, signV1 } from '@bucketware/signature';
import test from 'ava';
import { core } from '../hostile/core.js';
import { alice, listen, memoryStorage, onKoa } from '../http/servers.js';

/*
 * A server whose operations verify signatures one by one will sooner or later forget one (MinIO
 * CVE-2026-40344, RustFS GHSA-3g29-xff2-92vp). So every operation of both dialects gets requests
 * with forged signatures, with each way to sign and to send a body. It must not even read the body.
 */

const ALICE = { accessKey: 'AKALICE', secret: 'the secret of alice' };
const credentials = { AKALICE: { secret: ALICE.secret, principal: alice } };
const FORGED = { ...ALICE, secret: 'not the secret of alice' };

const DIALECTS = {
  s3: {
    options: { dialect: s3({ credentials }) },
    operations: s3({ credentials }).operations,
    ...{ sign: signS3, presign: presignS3 },
    modes: [
      'UNSIGNED-PAYLOAD',
      'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    ],
  },
  json: {
    // This option belongs to the middleware around the handler.
    options: { credentials } as HandlerOptions,
    operations: core.table.operations as readonly Operation[],
    ...{ sign: signV1, presign: presignV1 },
    modes: [undefined],
  },
} as const;

/** Preflights are never signed, and forms are signed in their fields. */
const isSigned = ({ route, loginInBody }: Operation) => route.method !== 'OPTIONS' && !loginInBody;

const subjectOf = ({ route, action }: Operation): keyof typeof PATHS => route.on ?? action.on;
const PATHS = { service: '/', object: '/photos/cat', bucket: '/photos', 'new bucket': '/photos' };

for (const [name, { options, operations, sign, presign, modes }] of Object.entries(DIALECTS)) {
  test(`no operation is carried out for a forged signature: ${name}`, async (t) => {
    const storage = await memoryStorage();
    await storage.as(alice).putBucket({ bucket: 'photos' });
    await storage.putObject({ bucket: 'photos', key: 'cat', body: 'meow' });
    const { origin, close } = await listen(onKoa(storage, options));
    t.teardown(async () => {
      await close();
      await storage.close();
    });
    const before = await storage.listObjects({ bucket: 'photos' });

    for (const operation of operations.filter(isSigned)) {
      const { method, query = [], headers: markers = [] } = operation.route;
      const path = PATHS[subjectOf(operation)];
      const about = `${method} ${path}?${query.join('&')} ${markers.join()}`;
      for (const mode of modes) {
        const headers = {
          ...Object.fromEntries(markers.map((marker) => [marker, '/photos/cat'])),
          ...(mode?.startsWith('STREAMING') && {
            'x-amz-decoded-content-length': '3',
            ...(mode.endsWith('TRAILER') && { 'x-amz-trailer': 'x-amz-checksum-crc32' }),
          }),
        };
        const target = {
          ...{ publicUrl: origin, path, method, now: Date.now(), headers },
          query: Object.fromEntries(query.map((marker) => [marker, ''])),
        };
        const signed = mode === undefined ? target : { ...target, payloadHash: mode };
        const search = new URLSearchParams(target.query);
        const body = /^(PUT|POST)$/.test(method) ? 'abc' : null;
        const code = async (url: string, all: Record<string, string>) => {
          const answer = await fetch(url, { method, body, headers: { ...headers, ...all } });
          const text = await answer.text();
          const found = /"code":"(\w+)"|<Code>(\w+)/.exec(text)?.slice(1).find(Boolean);
          return found ?? (method === 'HEAD' ? `${answer.status}` : text);
        };
        const expected = method === 'HEAD' ? '403' : 'SignatureDoesNotMatch';
        t.is(await code(`${origin}${path}?${search}`, sign(FORGED, signed)), expected, about);
        const added: Record<string, string> = mode ? { 'x-amz-content-sha256': mode } : {};
        const link = presign(FORGED, { ...target, headers: { ...headers, ...added } });
        t.is(await code(link, added), expected, `link ${about}`);
      }
    }
    t.deepEqual(await storage.listObjects({ bucket: 'photos' }), before);
    t.deepEqual((await storage.as(alice).listBuckets()).buckets.length, 1);
  });
}
