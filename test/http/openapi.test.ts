import { setTimeout as sleep } from 'node:timers/promises';
import { openApi } from '@bucketware/core/openapi';
import { Validator } from '@seriousme/openapi-schema-validator';
import test from 'ava';
import { checked } from './described.js';
import { alice, listen, memoryStorage, onKoa } from './servers.js';

test('the OpenAPI document is valid, and describes each operation once', async (t) => {
  const document = openApi({ url: '/storage', title: 'Files' });
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
  t.true(valid, JSON.stringify(errors, undefined, 2));
  t.deepEqual(document.servers, [{ url: '/storage' }]);
  t.is(document.info.title, 'Files');
  const ids = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  t.is(ids.length, 35);
  t.is(new Set(ids).size, ids.length);
});

test('each operation has a response, a summary and the parameters of its path', (t) => {
  for (const [path, methods] of Object.entries(openApi().paths)) {
    const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
    for (const operation of Object.values(methods)) {
      const { operationId, summary, responses } = operation;
      const parameters = operation.parameters as { name: string; in: string }[];
      t.truthy(summary, operationId);
      t.true(Object.keys(responses).length > 1, operationId);
      const named = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
      t.deepEqual(named.sort(), [...inPath].sort(), operationId);
      const [, marker] = path.split('#');
      const required = parameters.filter((one) => one.in === 'header' && 'required' in one);
      if (marker)
        t.true(
          required.some(({ name }) => name === marker),
          operationId,
        );
    }
  }
});

test('the document has the header prefix of the interface', (t) => {
  const text = JSON.stringify(openApi({ headerPrefix: 'x-acme-' }));
  t.false(text.includes('x-svc-'));
  t.true(text.includes('"x-acme-storage-class"'));
});

test('the responses to forms match the document', async (t) => {
  const { storage, faults, seen } = checked(await memoryStorage());
  const { origin, close } = await listen(onKoa(storage, { crossSiteRequests: 'allow' }));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket: 'inbox', acl: 'public-read-write' });
  const fields = [
    ['success-action-status', '200'],
    ['success-action-status', '201'],
  ];
  fields.push(['success-action-status', '204'], ['success-redirect-url', 'http://app.example/']);
  for (const [name, value] of fields) {
    const form = new FormData();
    form.set('key', 'a');
    form.set(name as string, value as string);
    form.set('file', new Blob(['four']), 'a.txt');
    await fetch(`${origin}/inbox`, { method: 'POST', body: form, redirect: 'manual' });
  }
  while (seen.size < fields.length) await sleep(5);
  t.deepEqual(
    Array.from(seen).sort(),
    [200, 201, 204, 302].map((status) => `PutObjectForm ${status}`),
  );
  t.deepEqual([...faults], []);
});
