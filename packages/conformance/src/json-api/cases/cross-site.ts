import assert from 'node:assert/strict';
import type { ClientRequest, StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';
import { bucketWithCors } from '../wire/settings.js';

const OTHER = 'https://other.example';

/** Changes that a page could make with a form, or with a fetch that no browser asks about. */
const changesOf = (bucket: string): readonly ClientRequest[] => [
  { method: 'POST', path: `/${bucket}?delete`, body: '{"objects":[{"key":"key"}]}' },
  { method: 'POST', path: `/${bucket}/key?append`, body: 'other' },
  { method: 'PUT', path: `/${bucket}/key`, body: 'other' },
  { method: 'PUT', path: `/${bucket}?acl`, headers: { 'x-svc-acl': 'public-read' } },
  { method: 'DELETE', path: `/${bucket}/key` },
  { method: 'DELETE', path: `/${bucket}` },
  { method: 'PUT', path: `/${bucket}-new` },
];

const from = (request: ClientRequest, headers: ClientRequest['headers']): ClientRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
});

const hostOf = ({ server }: StorageClient): string => new URL(server.url).host;

export const cases: readonly HttpRule[] = [
  {
    id: 'cross-site-refused',
    name: 'a change that a page of another site asks for is 403, and nothing changes',
    async prove(storage) {
      const bucket = await storage.newBucket();
      (await storage.put(`/${bucket}/key`, 'whole')).is(200);
      for (const headers of [
        { origin: OTHER },
        { origin: 'null' },
        { origin: `http://${hostOf(storage)}0` },
        { origin: 'file://' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'same-site', origin: `http://${hostOf(storage)}` },
        { origin: OTHER, 'content-type': 'text/plain' },
      ]) {
        for (const request of changesOf(bucket)) {
          (await storage.send(from(request, headers))).fails(403, 'AccessDenied');
        }
      }
      assert.equal((await storage.get(`/${bucket}/key`)).is(200).text, 'whole');
      (await storage.get(`/${bucket}/key`, { origin: OTHER })).is(200);
    },
  },
  {
    id: 'cross-site-own',
    name: 'a change that a page of the same origin asks for, or no page, is carried out',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      for (const headers of [
        { origin: `http://${hostOf(storage)}` },
        { 'sec-fetch-site': 'same-origin', origin: OTHER },
        { 'sec-fetch-site': 'none' },
        {},
      ]) {
        (await storage.put(path, 'x', headers)).is(200);
        (await storage.delete(path)).is(204);
      }
    },
  },
  {
    id: 'cross-site-cors',
    name: 'a CORS rule lets changes of its origin and method in, and with * only those without a cookie',
    async prove(storage) {
      const named = { allowedOrigins: [OTHER], allowedMethods: ['PUT'] };
      const bucket = await bucketWithCors(storage, named, {
        allowedOrigins: ['*'],
        allowedMethods: ['POST'],
      });
      const path = `/${bucket}/key`;
      const cookie = { cookie: 'session=1' };
      const site = { 'sec-fetch-site': 'cross-site', origin: OTHER };
      (await storage.put(path, 'x', { ...site, ...cookie })).is(200);
      (await storage.send(from({ method: 'DELETE', path }, site))).fails(403, 'AccessDenied');
      (await storage.put(path, 'x', { origin: 'https://b' })).fails(403, 'AccessDenied');
      const append = { method: 'POST', path: `${path}?append`, body: 'x' };
      for (const origin of [OTHER, 'https://b', 'null']) {
        (await storage.send(from(append, { origin }))).is(200);
        const answer = await storage.send(from(append, { origin, ...cookie }));
        answer.fails(403, 'AccessDenied');
      }
      const fresh = { method: 'PUT', path: `/${storage.newName()}` };
      (await storage.send(from(fresh, site))).fails(403, 'AccessDenied');
    },
  },
];
