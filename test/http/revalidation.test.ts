import { s3 } from '@bucketware/s3';
import test, { type ExecutionContext } from 'ava';
import { carriers } from './carriers.js';
import { call } from './raw.js';
import { alice, listen, memoryStorage } from './servers.js';

const bucket = 'bucket';
const FROM_BROWSERS = [
  { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' },
  { 'sec-fetch-dest': 'document' },
  { 'sec-fetch-site': 'same-origin' },
];
const FROM_OTHERS = [{}, { 'user-agent': 'curl/8.5.0' }];

async function serve(t: ExecutionContext, options: { s3?: boolean; trustedContent?: boolean }) {
  const storage = await memoryStorage();
  const { trustedContent = false } = options;
  const dialect = options.s3 ? { dialect: s3({ credentials: {} }) } : {};
  const app = carriers.express5(storage, { trustedContent, ...dialect });
  const { origin, close } = await listen(app);
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket });
  const send = (method: string, headers: object) =>
    call(origin, method, '/bucket/a', { headers: { ...headers } });
  /** The validators that a browser sends, `seconds` after the object was stored. */
  const validators = async (seconds: number) => {
    const { etag, lastModified } = await storage.getObjectMeta({ bucket, key: 'a' });
    const date = new Date(+lastModified + seconds * 1000);
    return { 'if-none-match': `"${etag}"`, 'if-modified-since': date.toUTCString() };
  };
  return { storage, send, validators };
}

for (const dialect of ['json', 's3']) {
  test(`${dialect}: a browser gets new headers of an object with the same data`, async (t) => {
    const { storage, send, validators } = await serve(t, { s3: dialect === 's3' });
    const metadata = { state: 'approved' };
    await storage.putObject({ bucket, key: 'a', body: 'x', contentType: 'image/png', metadata });
    const others = [await validators(-1), await validators(1)];
    const same = await validators(0);
    const { 'if-none-match': etag } = same;
    for (const method of ['GET', 'HEAD']) {
      for (const from of FROM_BROWSERS) {
        for (const other of others) {
          const { status, headers } = await send(method, { ...from, ...other });
          t.is(status, 200);
          t.is(headers['content-type'], 'image/png');
        }
        t.is((await send(method, { ...from, ...same })).status, 304);
        // What Chromium sends if its cookies have changed.
        t.is((await send(method, { ...from, 'if-none-match': etag })).status, 200);
        const { 'if-modified-since': later } = others[1] as typeof same;
        t.is((await send(method, { ...from, 'if-modified-since': later })).status, 304);
      }
      // If-None-Match takes precedence (RFC 9110 section 13.2.2).
      for (const from of FROM_OTHERS) {
        for (const copy of [...others, same]) {
          t.is((await send(method, { ...from, ...copy })).status, 304);
        }
      }
    }
    const range = await send('GET', { ...FROM_BROWSERS[0], ...others[0], range: 'bytes=0-0' });
    t.is(range.status, 206);
  });
}

for (const trustedContent of [false, true]) {
  const what = trustedContent ? 'may keep' : 'does not keep';
  test(`a page ${what} a script that it got through a link`, async (t) => {
    const { storage, send, validators } = await serve(t, { trustedContent });
    await storage.putObject({ bucket, key: 'a', body: 'x', contentType: 'text/javascript' });
    const link = { ...FROM_BROWSERS[0], 'sec-fetch-dest': 'document' };
    const copy = await validators(0);
    t.is((await send('GET', link)).headers['content-type'], 'text/javascript');
    t.is((await send('GET', { ...link, ...copy })).status, 304);
    // A service worker forwards the request of a script tag.
    const worker = { ...link, 'sec-fetch-dest': 'empty' };
    const { status, headers } = await send('GET', { ...worker, ...copy });
    t.is(status, trustedContent ? 304 : 200);
    if (!trustedContent) t.is(headers['content-type'], 'text/plain; charset=utf-8');
    await storage.putObject({ bucket, key: 'a', body: 'x', contentType: 'image/png' });
    t.is((await send('GET', { ...worker, ...(await validators(0)) })).status, 304);
  });
}

test('s3: a 304 for an object with tags is as private as the 200', async (t) => {
  const { storage, send, validators } = await serve(t, { s3: true });
  await storage.putObject({ bucket, key: 'a', body: 'x', acl: 'public-read', tags: { a: 'b' } });
  const copy = await validators(0);
  const privacyOf = async (headers: object, expected: number) => {
    const found = await send('GET', headers);
    t.is(found.status, expected);
    return [found.headers['cache-control'], found.headers.vary];
  };
  const [whole, unchanged] = [await privacyOf({}, 200), await privacyOf(copy, 304)];
  t.regex(String(whole), /private/);
  t.deepEqual(unchanged, whole);
});

test('a list of ETags is compared item by item', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  await storage.as(alice).putBucket({ bucket });
  const { etag } = await storage.putObject({ bucket, key: 'a', body: 'x' });
  const outcome = (condition: object) =>
    storage.getObjectMeta({ bucket, key: 'a', ...condition }).then(
      () => 'sent',
      ({ code }) => code,
    );
  const tag = `"${etag}"`;
  for (const list of [tag, etag, `"b", ${tag}`, `${etag}${etag},\t${tag} ,"c"`, '*', `"b" , *,c`]) {
    t.is(await outcome({ ifNoneMatch: list }), 'NotModified', list);
    t.is(await outcome({ ifMatch: list }), 'sent', list);
  }
  const others = [
    `x${etag}`,
    `${etag}x`,
    `"${etag}`,
    `"b"${tag}`,
    '"*"',
    '**',
    '* *',
    ',',
    `${etag} ${etag}`,
  ];
  for (const list of [...others, others.join()]) {
    t.is(await outcome({ ifNoneMatch: list }), 'sent', list);
    t.is(await outcome({ ifMatch: list }), 'PreconditionFailed', list);
  }
  t.is(await outcome({ ifNoneMatch: `"b",W/${tag}` }), 'NotModified');
  t.is(await outcome({ ifMatch: `"b",W/${tag}` }), 'PreconditionFailed');
});
