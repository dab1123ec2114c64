import assert from 'node:assert/strict';
import { bytes } from '../../actions/tools.js';
import type { ClientRequest } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';

const PAST = 'Sat, 01 Jan 2000 00:00:00 GMT';
const FUTURE = 'Fri, 01 Jan 2100 00:00:00 GMT';

export const cases: readonly HttpRule[] = [
  {
    id: 'put-if-none-match',
    name: 'If-None-Match: * lets PutObject create, and 412 keeps it from replacing',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const create = { 'if-none-match': '*' };
      (await storage.put(path, 'first', create)).is(200);
      for (const body of ['second', bytes(100_000)]) {
        (await storage.put(path, body, create)).fails(412, 'PreconditionFailed');
      }
      assert.equal((await storage.get(path)).is(200).text, 'first');
    },
  },
  {
    id: 'put-if-none-match-race',
    name: 'of many PutObject with If-None-Match: * at a time exactly one creates',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const bodies = Array.from({ length: 8 }, (_, at) =>
        at % 2 === 0 ? Buffer.from(`${at}`.repeat(10)) : Buffer.alloc(70_000, at),
      );
      const wires = await Promise.all(bodies.map(() => storage.dial()));
      for (const [at, wire] of wires.entries()) {
        const length = `Content-Length: ${bodies[at]?.length}\r\n\r\n`;
        await wire.write(`${storage.opening('PUT', path)}If-None-Match: *\r\n${length}0`);
      }
      // All have been let in by now, as there was nothing: the last word is spoken in the end.
      (await storage.get(path)).fails(404, 'NoSuchKey');
      await Promise.all(
        wires.map((wire, at) => wire.write(bodies[at]?.subarray(1) ?? Buffer.alloc(0))),
      );
      const answers = await Promise.all(wires.map(({ answer }) => answer));
      const won = answers.filter((answer) => answer?.status === 200);
      assert.equal(won.length, 1);
      for (const answer of answers) {
        if (answer !== won[0]) answer?.fails(412, 'PreconditionFailed');
      }
      const found = (await storage.get(path)).is(200);
      assert.equal(found.header('etag'), won[0]?.header('etag'));
    },
  },
  {
    id: 'put-if-match',
    name: 'If-Match lets PutObject replace only the object that the writer has seen',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const seen = (await storage.put(path, 'one')).is(200).header('etag') ?? '';
      (await storage.put(path, 'two', { 'if-match': seen })).is(200);
      (await storage.put(path, 'three', { 'if-match': seen })).fails(412, 'PreconditionFailed');
      assert.equal((await storage.get(path)).text, 'two');
      const etag = (await storage.head(path)).header('etag')?.replaceAll('"', '');
      (await storage.put(path, 'four', { 'if-match': etag })).is(200);
      (await storage.put(path, 'five', { 'if-match': '*' })).is(200);
      assert.equal((await storage.get(path)).text, 'five');
    },
  },
  {
    id: 'put-if-match-missing',
    name: 'If-Match on an object that does not exist is 412 and creates nothing',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const value of ['*', '"d41d8cd98f00b204e9800998ecf8427e"']) {
        const answer = await storage.put(`/${bucket}/key`, '', { 'if-match': value });
        answer.fails(412, 'PreconditionFailed');
      }
      (await storage.head(`/${bucket}/key`)).failsBare(404);
    },
  },
  {
    id: 'put-if-unmodified-since',
    name: 'If-Unmodified-Since lets PutObject replace only what is as old, and If-Match goes first',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const [past, future] = [PAST, FUTURE].map((time) => ({ 'if-unmodified-since': time }));
      (await storage.put(path, 'one', past)).is(200);
      (await storage.put(path, 'two', past)).fails(412, 'PreconditionFailed');
      (await storage.put(path, 'three', future)).is(200);
      (await storage.put(path, 'four', { ...past, 'if-match': '*' })).is(200);
      assert.equal((await storage.get(path)).is(200).text, 'four');
    },
  },
  {
    id: 'delete-conditions',
    name: 'the conditions of DeleteObject are about the object that it removes',
    async prove(storage) {
      const path = `/${await storage.newBucket()}/key`;
      const etag = (await storage.put(path, 'one')).is(200).header('etag') ?? '';
      const remove = (headers: ClientRequest['headers']) =>
        storage.send({ method: 'DELETE', path, headers });
      for (const headers of [
        { 'if-match': '"x"' },
        { 'if-none-match': '*' },
        { 'if-none-match': etag },
        { 'if-unmodified-since': PAST },
      ]) {
        (await remove(headers)).fails(412, 'PreconditionFailed');
      }
      (await storage.put(path, 'two')).is(200);
      (await remove({ 'if-match': etag })).fails(412, 'PreconditionFailed');
      assert.equal((await storage.get(path)).is(200).text, 'two');
      const last = (await storage.head(path)).header('etag') ?? '';
      (await remove({ 'if-match': last, 'if-unmodified-since': FUTURE })).is(204);
      (await remove({ 'if-match': last })).fails(404, 'NoSuchKey');
    },
  },
  {
    id: 'put-forbid-overwrite',
    name: 'x-svc-forbid-overwrite: true keeps PutObject from replacing',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}/key`;
      const forbid = { 'x-svc-forbid-overwrite': 'true' };
      (await storage.put(path, 'first', forbid)).is(200);
      (await storage.put(path, 'second', forbid)).fails(412, 'PreconditionFailed');
      assert.equal((await storage.get(path)).text, 'first');
      (await storage.put(path, 'third', { 'x-svc-forbid-overwrite': 'false' })).is(200);
      assert.equal((await storage.get(path)).text, 'third');
    },
  },
];
