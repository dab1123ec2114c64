import type { ExecutionContext } from 'ava';
import { call } from './raw.js';

/** Keys in the path, with their meaning. No mount may change them. */
const WRITTEN = {
  'a/../b': 'a/../b',
  '..': '..',
  '../x': '../x',
  './x': './x',
  'a//b': 'a//b',
  '/': '/',
  '//': '//',
  '//a': '//a',
  'a/': 'a/',
  'a%2Fb%2f': 'a/b/',
  '%2F': '/',
  '%2e%2e/y': '../y',
  '%252F': '%2F',
  'a%3Fb%23c': 'a?b#c',
  'a+b': 'a+b',
  'a%20b': 'a b',
  '%E4%BD%A0': '你',
  "~!*()';:@&=$,": "~!*()';:@&=$,",
  'storage/v1/x': 'storage/v1/x',
} as const;

/** Proves that a storage mounted at `base` works for any path of an object. */
export async function proveMounted(t: ExecutionContext, origin: string, base: string) {
  t.is((await call(origin, 'PUT', `${base}/bucket`)).status, 200, 'PutBucket');
  const stored = new Set<string>();
  for (const [written, key] of Object.entries(WRITTEN)) {
    const path = `${base}/bucket/${written}`;
    const put = await call(origin, 'PUT', path, { body: key });
    stored.add(key);
    t.is(put.status, 200, `PUT ${path}: ${put.text}`);
    const got = await call(origin, 'GET', `${path}?responseContentType=text/x`);
    t.is(got.text, key, `GET ${path}`);
    t.is(got.headers['content-type'], 'text/x', `query of ${path}`);
    t.is((await call(origin, 'HEAD', path)).status, 200, `HEAD ${path}`);
  }
  await proveAbsoluteForm(t, origin, base);
  const listed = await call(origin, 'GET', `${base}/bucket`);
  const keys: string[] = JSON.parse(listed.text).contents.map(({ key }: { key: string }) => key);
  t.deepEqual(keys.sort(), [...stored].sort());

  const slash = await call(origin, 'GET', `${base}/bucket/?prefix=a%2Fb`);
  t.is(JSON.parse(slash.text).contents.length, 1);
  for (const path of [base, `${base}/`]) {
    const { buckets } = JSON.parse((await call(origin, 'GET', path)).text);
    t.is(buckets.length, 1, `ListBuckets at ${path}`);
  }
  const body = JSON.stringify({ objects: keys.map((key) => ({ key })) });
  const emptied = await call(origin, 'POST', `${base}/bucket?delete`, { body });
  t.is(emptied.status, 200);
  t.is(emptied.text, '');
  t.is((await call(origin, 'DELETE', `${base}/bucket`)).status, 204);
}

/** Frameworks read other paths and hosts from these, so they are refused. */
async function proveAbsoluteForm(t: ExecutionContext, origin: string, base: string) {
  const key = `${base.slice(1)}/bucket/k`;
  await call(origin, 'PUT', `${base}/files`);
  await call(origin, 'PUT', `${base}/files/${key}`, { body: 'another object' });
  await call(origin, 'PUT', `${base}/bucket/k`, { body: 'the object' });
  const headers = { host: 'files' };
  const targets = [`http://files${base}/bucket/k`, `http://files${base}/bucket\\k`];
  for (const target of [...targets, `${base}/bucket/k#`, `${base}/bucket\\k#`]) {
    for (const method of ['GET', 'DELETE']) {
      const { status, text } = await call(origin, method, target, { headers });
      t.true(status >= 400 || !/object/.test(text), `${method} ${target}: ${status} ${text}`);
    }
  }
  t.is((await call(origin, 'GET', `${base}/bucket/k`)).text, 'the object');
  t.is((await call(origin, 'GET', `${base}/files/${key}`)).text, 'another object');
  for (const path of [`files/${key}`, 'bucket/k', 'files'])
    t.is((await call(origin, 'DELETE', `${base}/${path}`)).status, 204);
}
