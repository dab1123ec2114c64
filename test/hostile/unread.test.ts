import test from 'ava';
import { operations } from './core.js';
import { prepare, requestsOf } from './requests.js';
import { codeOf } from './scan.js';
import { IN_MEMORY, stage } from './stage.js';

const SAFE = ['GET', 'HEAD', 'OPTIONS'];
const CONDITIONS = ['if-match', 'if-none-match', 'if-unmodified-since'];

for (const [name, carrier, onDisk] of IN_MEMORY) {
  test(`${name}: no operation ignores input that would change its meaning, and it is rejected before access is checked`, async (t) => {
    const on = await stage(t, carrier, onDisk, { authorize: () => true });
    const uploadId = await prepare(on.storage);
    const before = await on.storage.listObjects({ bucket: 'bucket' });
    on.takeQuestions();
    const requests = Object.entries(requestsOf(uploadId));
    t.is(requests.length, operations.length);
    for (const [operation, [request]] of requests) {
      if (request === undefined || request.method === 'OPTIONS') continue;
      const { method, path, headers, body = '' } = request;
      const sent = async (query: string, extra: Record<string, string> = {}) => {
        const at = query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
        const given = SAFE.includes(method) ? {} : { body };
        const answer = await on.send(method, at, { ...given, headers: { ...headers, ...extra } });
        return method === 'HEAD' ? answer.status : `${answer.status} ${codeOf(answer)}`;
      };
      const fails = (status: number, code: string) =>
        method === 'HEAD' ? status : `${status} ${code}`;
      const notOffered = fails(501, 'NotImplemented');
      for (const query of ['objectlock', 'Tagging', 'versionId=1', 'x-svc-acl=private']) {
        t.is(await sent(query), notOffered, `${operation} with ${query}`);
      }
      t.is(await sent('', { 'x-svc-made-up': '1' }), fails(400, 'InvalidArgument'), operation);
      t.is(await sent('', { 'x-svc-process': '1' }), notOffered, operation);
      if (SAFE.includes(method)) continue;
      t.is(await sent('made-up'), fails(400, 'InvalidArgument'), operation);
      t.is(await sent('made-up=1'), fails(400, 'InvalidArgument'), operation);
      const range = { 'content-range': 'bytes 0-0/2' };
      t.is(await sent('', range), fails(400, 'InvalidArgument'), operation);
      const input = operations.find((item) => item.name === operation)?.input ?? {};
      const read = Object.values(input).flatMap(({ names }) => names.headers ?? []);
      for (const condition of CONDITIONS) {
        if (read.includes(condition)) continue;
        t.is(await sent('', { [condition]: '*' }), notOffered, `${operation} with ${condition}`);
      }
    }
    t.deepEqual(on.takeQuestions(), []);
    t.deepEqual(await on.storage.listObjects({ bucket: 'bucket' }), before);
    await on.seal();
  });
}
