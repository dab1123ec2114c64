import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Answer } from '../../http/answer.js';
import type { Case, CaseContext } from '../case.js';
import { fails, outcome } from '../failure.js';
import { BOB, EVERYBODY, grant } from '../tools.js';

const SANDBOX = /^default-src 'none'; style-src 'unsafe-inline'; sandbox$/;
const PLAYER = /media-src 'self'.*; sandbox allow-same-origin$/;

const EXPIRES = 'Thu, 31 Dec 2026 00:00:00 GMT';

const PLAYED = ['audio/mpeg', 'video/mp4', 'video/mp4; codecs="avc1.42E01E, mp4a.40.2"'];
const SANDBOXED = [
  ...['text/html', 'image/svg+xml', 'application/xml', 'application/pdf', 'video', 'x/y', 'video/'],
  ...['video/x+xml', 'video/mp4, text/html', 'video/mp4; a="', 'audio/x;text/html', 'text/video/x'],
];

async function stored({ alice, newBucket }: CaseContext, contentType?: string): Promise<string> {
  const bucket = await newBucket();
  await alice.putObject(bucket, 'key', 'bytes', { contentType });
  return bucket;
}

export const cases: readonly Case[] = [
  {
    id: 'content-cache-control',
    name: 'a response that required permission is private to caches; a stored Cache-Control is returned unchanged',
    async prove(context) {
      const { alice, bob, anonymous } = context;
      const bucket = await stored(context);
      const caching = async (client = alice) =>
        (await client.getObject(bucket, 'key')).cacheControl;
      assert.equal(await caching(), 'private, max-age=0, no-transform');
      const head = await alice.headObject(bucket, 'key');
      assert.equal(head.cacheControl, 'private, max-age=0, no-transform');
      const answers: Answer[] = [];
      const watched = alice.with({ observe: (answer) => answers.push(answer) });
      await watched.listObjects(bucket);
      await watched.getBucketAcl(bucket);
      await outcome(watched.getObject(bucket, 'absent'));
      await watched.listBuckets();
      assert.equal(answers.length, 4);
      for (const answer of answers) assert.equal(answer.header('cache-control'), 'private');
      await alice.putObjectAcl(bucket, 'key', [grant(EVERYBODY, 'READ')]);
      for (const client of [alice, bob, anonymous]) {
        assert.equal(await caching(client), 'max-age=0, no-transform');
      }
      await alice.putObjectAcl(bucket, 'key', [grant(BOB, 'READ')]);
      assert.equal(await caching(bob), 'private, max-age=0, no-transform');
      await alice.putObject(bucket, 'key', 'bytes', { cacheControl: 'public, max-age=60' });
      assert.equal(await caching(), 'public, max-age=60');
      const part = await alice.getObject(bucket, 'key', { range: 'bytes=0-1' });
      assert.equal(part.cacheControl, 'public, max-age=60, no-transform');
      await alice.putObject(bucket, 'key', 'bytes', { expires: EXPIRES });
      assert.equal(await caching(), 'private, no-transform');
    },
  },
  {
    id: 'content-policy',
    name: 'audio and video may be played, and everything else is sandboxed, whatever its Content-Type',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const [types, policy] of [
        [PLAYED, PLAYER],
        [SANDBOXED, SANDBOX],
      ] as const) {
        for (const contentType of types) {
          await alice.putObject(bucket, 'key', 'x', { contentType });
          for (const { http } of [
            await alice.getObject(bucket, 'key'),
            await alice.headObject(bucket, 'key'),
          ]) {
            assert.match(http.header('content-security-policy') ?? '', policy, contentType);
            assert.equal(http.header('x-content-type-options'), 'nosniff');
          }
        }
      }
    },
  },
  {
    id: 'content-resource-policy',
    name: 'pages of other sites can embed only objects that anyone may read',
    async prove(context) {
      const { alice } = context;
      const bucket = await stored(context);
      const policy = async () =>
        (await alice.getObject(bucket, 'key')).http.header('cross-origin-resource-policy');
      assert.equal(await policy(), 'same-origin');
      await alice.putObjectAcl(bucket, 'key', [grant(EVERYBODY, 'READ')]);
      assert.equal(await policy(), 'cross-origin');
    },
  },
  {
    id: 'content-inactive',
    name: 'an object is not served to a page that would run it, and Vary lists the headers that matter',
    async prove(context) {
      const bucket = await stored(context, 'text/javascript');
      const get = (headers: OutgoingHttpHeaders) =>
        context.alice.with({ headers }).getObject(bucket, 'key');
      for (const dest of ['script', 'style', 'worker', 'sharedworker', 'serviceworker', 'xslt']) {
        const { http } = await fails(get({ 'sec-fetch-dest': dest }), 'AccessDenied', dest);
        assert.ok(http.list('vary').includes('sec-fetch-dest'));
      }
      await fails(get({ 'service-worker': 'script' }), 'AccessDenied');
      for (const dest of ['document', 'image', 'video', 'empty', 'font']) {
        const { http } = await get({ 'sec-fetch-dest': dest });
        assert.ok(http.list('vary').includes('sec-fetch-dest'));
      }
    },
  },
  {
    id: 'content-overrides',
    name: 'overrides require an authenticated caller and a request that no other site sent',
    needs: ['overrides'],
    async prove({ alice, anonymous, newBucket }) {
      const bucket = await newBucket();
      const overrides = { contentType: 'text/html' };
      await alice.putObject(bucket, 'key', 'x', { acl: 'public-read' });
      await fails(anonymous.getObject(bucket, 'key', { overrides }), 'InvalidArgument');
      for (const site of ['cross-site', 'same-site']) {
        const page = alice.with({ headers: { 'sec-fetch-site': site } });
        await fails(page.getObject(bucket, 'key', { overrides }), 'InvalidArgument', site);
      }
      for (const headers of [
        {},
        { 'sec-fetch-site': 'same-origin' },
        { 'sec-fetch-site': 'none' },
      ]) {
        const page = alice.with({ headers });
        const found = await page.getObject(bucket, 'key', { overrides });
        assert.equal(found.contentType, 'text/html');
        const seen = await page.headObject(bucket, 'key', { overrides });
        assert.equal(seen.contentType, 'text/html');
      }
      await alice.putObject(bucket, 'key', 'x');
      await fails(anonymous.getObject(bucket, 'key', { overrides }), 'AccessDenied');
    },
  },
];
