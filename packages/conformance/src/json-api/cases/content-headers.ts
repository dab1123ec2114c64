import assert from 'node:assert/strict';
import type { Answer } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';
import { allow, grant, listIn } from '../wire/settings.js';

const SANDBOX = /^default-src 'none'; style-src 'unsafe-inline'; sandbox$/;
const PLAYER = /media-src 'self'.*; sandbox allow-same-origin$/;

const PLAYED = ['audio/mpeg', 'video/mp4', 'video/mp4; codecs="avc1.42E01E, mp4a.40.2"'];
const SANDBOXED = [
  ...['text/html', 'image/svg+xml', 'application/xml', 'application/pdf', 'video', 'x/y', 'video/'],
  ...['video/x+xml', 'video/mp4, text/html', 'video/mp4; a="', 'audio/x;text/html', 'text/video/x'],
];

const caching = (answer: Answer) => answer.header('cache-control');

export const cases: readonly HttpRule[] = [
  {
    id: 'content-cache-control',
    name: 'what somebody had to be known for is private to caches, and what is stored is answered as it is',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      (await storage.put(path, 'bytes')).is(200);
      assert.equal(caching((await storage.get(path)).is(200)), 'private, no-transform');
      assert.equal(caching((await storage.head(path)).is(200)), 'private, no-transform');
      for (const other of [`/${bucket}`, `/${bucket}?acl`, `/${bucket}/absent`, '/']) {
        assert.equal(caching(await storage.get(other)), 'private', other);
      }
      await allow(storage, path, grant('*', 'READ'));
      for (const as of ['alice', 'bob', 'anonymous'] as const) {
        const answer = (await storage.send({ method: 'GET', path, as })).is(200);
        assert.equal(caching(answer), 'no-transform', as);
      }
      await allow(storage, path, grant('u-bob', 'READ'));
      const private_ = await storage.send({ method: 'GET', path, as: 'bob' });
      assert.equal(caching(private_.is(200)), 'private, no-transform');
      (await storage.put(path, 'bytes', { 'cache-control': 'public, max-age=60' })).is(200);
      assert.equal(caching((await storage.get(path)).is(200)), 'public, max-age=60');
      const part = (await storage.get(path, { range: 'bytes=0-1' })).is(206);
      assert.equal(caching(part), 'public, max-age=60, no-transform');
    },
  },
  {
    id: 'content-policy',
    name: 'audio and video may be played, and everything else is sandboxed, whatever its type says',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      for (const [types, policy] of [
        [PLAYED, PLAYER],
        [SANDBOXED, SANDBOX],
      ] as const) {
        for (const type of types) {
          (await storage.put(path, 'x', { 'content-type': type })).is(200);
          for (const answer of [await storage.get(path), await storage.head(path)]) {
            assert.match(answer.is(200).header('content-security-policy') ?? '', policy, type);
            assert.equal(answer.header('x-content-type-options'), 'nosniff');
          }
        }
      }
    },
  },
  {
    id: 'content-resource-policy',
    name: 'only what anybody may read can be embedded by pages of other sites',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const policy = async () =>
        (await storage.get(path)).is(200).header('cross-origin-resource-policy');
      (await storage.put(path, 'x')).is(200);
      assert.equal(await policy(), 'same-origin');
      await allow(storage, path, grant('*', 'READ'));
      assert.equal(await policy(), 'cross-origin');
    },
  },
  {
    id: 'content-inactive',
    name: 'an object is not served to a page that would run it, and says that it depends on that',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      (await storage.put(path, 'x', { 'content-type': 'text/javascript' })).is(200);
      for (const dest of ['script', 'style', 'worker', 'sharedworker', 'serviceworker', 'xslt']) {
        const answer = await storage.get(path, { 'sec-fetch-dest': dest });
        answer.fails(403, 'AccessDenied');
        assert.ok(listIn(answer, 'vary').includes('sec-fetch-dest'));
      }
      (await storage.get(path, { 'service-worker': 'script' })).fails(403, 'AccessDenied');
      for (const dest of ['document', 'image', 'video', 'empty', 'font']) {
        const answer = (await storage.get(path, { 'sec-fetch-dest': dest })).is(200);
        assert.ok(listIn(answer, 'vary').includes('sec-fetch-dest'));
      }
    },
  },
  {
    id: 'content-overrides',
    name: 'overrides are for callers who are somebody, on requests of no other site',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      (await storage.put(path, 'x', { 'x-svc-acl': 'public-read' })).is(200);
      const url = `${path}?responseContentType=text%2Fhtml`;
      const anonymous = await storage.send({ method: 'GET', path: url, as: 'anonymous' });
      anonymous.fails(400, 'InvalidArgument');
      for (const site of ['cross-site', 'same-site']) {
        (await storage.get(url, { 'sec-fetch-site': site })).fails(400, 'InvalidArgument');
      }
      for (const headers of [
        {},
        { 'sec-fetch-site': 'same-origin' },
        { 'sec-fetch-site': 'none' },
      ]) {
        assert.equal((await storage.get(url, headers)).is(200).header('content-type'), 'text/html');
        assert.equal(
          (await storage.head(url, headers)).is(200).header('content-type'),
          'text/html',
        );
      }
      (await storage.put(path, 'x')).is(200);
      const denied = await storage.send({ method: 'GET', path: url, as: 'anonymous' });
      denied.fails(403, 'AccessDenied');
    },
  },
];
