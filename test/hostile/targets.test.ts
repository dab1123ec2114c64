import {
  type AccessQuestion,
  createObjectStorage,
  type MetadataStore,
  memoryBlobs,
  memoryMetadata,
} from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { carriers } from '../http/carriers.js';
import { call } from '../http/raw.js';
import { alice, bob, listen } from '../http/servers.js';
import { operations } from './core.js';
import { VAULT } from './corpus.js';
import { prepare, requestsOf } from './requests.js';
import { BASE_HOST, IN_MEMORY } from './stage.js';

/** A metadata store that records which objects and uploads were read or written. */
function watched(inner: MetadataStore, seen: Set<string>): MetadataStore {
  const note = (keys: readonly string[]) => {
    for (const key of keys) {
      const [kind, rest = ''] = [key.slice(0, 2), key.slice(2)];
      const name = rest.replace(/~[^/]*/, ''); // The bucket's id begins with its name.
      if (kind === 'o/') seen.add(name);
      if (kind === 'u/') seen.add(name.split('\0')[0] as string);
    }
  };
  return {
    get(key) {
      note([key]);
      return inner.get(key);
    },
    getMany(keys) {
      note(keys);
      return inner.getMany(keys);
    },
    list: (range) => inner.list(range),
    commit(change) {
      note([...(change.put ?? []).map(({ key }) => key), ...(change.delete ?? [])]);
      return inner.commit(change);
    },
    close: () => inner.close(),
  };
}

async function serve(t: ExecutionContext, carrier: 'koa' | 'express5', allow: boolean) {
  const seen = new Set<string>();
  const metadata = watched(memoryMetadata(), seen);
  const storage = await createObjectStorage({ metadata, blobs: memoryBlobs(), sweepEvery: false });
  const questions: AccessQuestion[] = [];
  const authorize = (question: AccessQuestion) => {
    questions.push(question);
    return allow;
  };
  const running = await listen(carriers[carrier](storage, { authorize, baseHost: BASE_HOST }));
  t.teardown(async () => {
    await running.close();
    await storage.close();
  });
  const raise = async () => {
    await storage.as(alice).putBucket({ bucket: 'bucket' });
    return prepare(storage);
  };
  await storage.as(bob).putBucket({ bucket: VAULT.bucket });
  await storage.as(bob).putObject(VAULT);
  const reset = async (): Promise<string> => {
    for (const { name } of (await storage.as(alice).listBuckets()).buckets) {
      const { contents } = await storage.listObjects({ bucket: name });
      if (contents.length > 0) {
        await storage.deleteMultipleObjects({ bucket: name, objects: contents });
      }
      await storage.deleteBucket({ bucket: name });
    }
    return raise();
  };
  const takeQuestions = () => {
    const targets = questions
      .splice(0)
      .map(({ source, bucket = '', key = '' }) => `${source ? 'from ' : ''}${bucket}/${key}`);
    return targets.sort();
  };
  const touched = () => {
    const found = [...seen];
    seen.clear();
    return found;
  };
  return { origin: running.origin, reset, takeQuestions, touched };
}

for (const [name, carrier] of IN_MEMORY) {
  test(`${name}: every operation checks access exactly once for each permission on each resource that it uses, and uses no others`, async (t) => {
    const { origin, reset, takeQuestions, touched } = await serve(t, carrier, true);
    const table = requestsOf(await reset());
    t.deepEqual(Object.keys(table).sort(), operations.map((item) => item.name).sort());
    for (const [operation, { length }] of Object.entries(table)) {
      for (let at = 0; at < length; at++) {
        const request = requestsOf(await reset())[operation]?.[at];
        if (request === undefined) throw new Error(`There is no request ${at} of ${operation}.`);
        const { method, path, headers = {}, body = '', touches } = request;
        takeQuestions();
        touched();
        const answer = await call(origin, method, path, { headers, body });
        if (touches.length > 0) t.not(answer.status, 403, `${method} ${path}`);
        t.true(answer.status < 500, `${method} ${path}: ${answer.text}`);
        t.deepEqual(takeQuestions(), [...touches], `${method} ${path} ${JSON.stringify(headers)}`);
        const allowed = touches.map((target) => target.replace(/^from /, ''));
        t.deepEqual(
          touched().filter((target) => !allowed.includes(target)),
          [],
          `${method} ${path}`,
        );
      }
    }
  });

  test(`${name}: after access is denied, nothing is used and no further access is checked`, async (t) => {
    const { origin, reset, takeQuestions, touched } = await serve(t, carrier, false);
    const table = requestsOf(await reset());
    for (const [operation, requests] of Object.entries(table)) {
      for (const { method, path, headers = {}, body = '', touches } of requests) {
        takeQuestions();
        touched();
        const answer = await call(origin, method, path, { as: '', headers, body });
        t.is(answer.status, operation === 'DeleteMultipleObjects' ? 200 : 403, `${method} ${path}`);
        const first = [...new Set(touches.filter((target) => !target.startsWith('from ')))];
        t.deepEqual(takeQuestions(), first, `${method} ${path}`);
        // The object's own list is read for the default rule, but never returned.
        t.deepEqual(
          touched().filter((target) => !first.includes(target)),
          [],
        );
        t.false(/bytes of|vault/.test(answer.text.replace('../vault/secret', '')));
      }
    }
  });
}

const PIECES = [
  '..',
  '.',
  '/',
  '//',
  '%2e',
  '%2F',
  '%5c',
  '%00',
  '%25',
  '%',
  'a',
  'vault',
  'secret',
];
const MORE = [
  '?',
  '&',
  '=',
  '+',
  '%20',
  '%C3%A9',
  '%ff',
  '%c0%ae',
  ';',
  ':',
  '@',
  '%3F',
  '%23',
  '\\',
];
const raw = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PIECES, ...MORE),
      fc.integer({ min: 0, max: 255 }).map((byte) => `%${byte.toString(16).padStart(2, '0')}`),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));

test('the resource whose access was checked is the one used, however a path, host or source is written', async (t) => {
  const { origin, reset, takeQuestions, touched } = await serve(t, 'koa', true);
  const uploadId = await reset();
  const copy = (source: string) => ({ 'x-svc-copy-source': source, 'content-length': 0 });
  const forms = [
    (text: string) => call(origin, 'PUT', `/bucket/${text}`, { body: 'x' }),
    (text: string) => call(origin, 'GET', `/${text}`),
    (text: string) => call(origin, 'GET', `/bucket/${text}`),
    (text: string) =>
      call(origin, 'PUT', `/${text}`, { headers: { host: `bucket.${BASE_HOST}` }, body: 'x' }),
    (text: string) => call(origin, 'PUT', '/bucket/copy', { headers: copy(`/bucket/${text}`) }),
    (text: string) => call(origin, 'PUT', '/bucket/copy', { headers: copy(text) }),
    (text: string) =>
      call(origin, 'PUT', `/bucket/a?uploadId=${uploadId}&partNumber=1`, { headers: copy(text) }),
    (text: string) => call(origin, 'POST', '/bucket/c', { headers: { 'x-svc-rename-key': text } }),
    (text: string) => call(origin, 'GET', `/bucket/a?uploadId=${text}`),
  ];
  let served = 0;
  await fc.assert(
    fc.asyncProperty(raw, fc.integer({ min: 0, max: forms.length - 1 }), async (text, form) => {
      takeQuestions();
      touched();
      const { status } = await (forms[form] as (text: string) => Promise<{ status: number }>)(text);
      const targets = takeQuestions().map((target) => target.replace(/^from /, ''));
      const strange = touched().filter((target) => !targets.includes(target));
      if (status === 200) served++;
      return strange.length === 0 && status !== 500;
    }),
    { numRuns: 1000 },
  );
  t.true(served > 30, `${served} were served`);
});
