import test from 'ava';
import { carriers } from './carriers.js';
import { call } from './raw.js';
import { alice, listen, memoryStorage, onKoa } from './servers.js';

const bucket = 'bucket';
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' };
/** What a script tag sends over http, and through a service worker that forwards the request. */
const TAGS = [
  BROWSER,
  { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' },
  { ...BROWSER, 'sec-fetch-dest': 'empty' },
  { 'sec-fetch-site': 'same-origin' },
];
/** What a program or a link sends. */
const OTHERS = [{}, { 'user-agent': 'curl/8.5.0' }, { ...BROWSER, 'sec-fetch-dest': 'document' }];
const RUNNABLE = [
  ...['text/javascript', 'Application/X-JavaScript; charset=utf-8', 'text/javascript1.5'],
  ...['text/plain, text/javascript', 'text/ecmascript', 'text/jscript', 'text/css'],
];
const PLAIN = ['text/plain', 'text/html', 'image/png', 'application/json', 'application/x-sh'];

for (const trustedContent of [false, true]) {
  const what = trustedContent
    ? 'is served to trusted pages'
    : 'is plain text where a page could use it';
  test(`a stored script or style ${what}, and programs get the stored type`, async (t) => {
    const storage = await memoryStorage();
    const { origin, close } = await listen(carriers.express5(storage, { trustedContent }));
    t.teardown(close);
    await storage.as(alice).putBucket({ bucket });
    const typeOf = async (headers: object, method = 'GET') =>
      (await call(origin, method, '/bucket/a', { headers: { ...headers } })).headers[
        'content-type'
      ];
    for (const contentType of [...RUNNABLE, ...PLAIN]) {
      await storage.putObject({ bucket, key: 'a', body: 'x', contentType });
      const kept = trustedContent || PLAIN.includes(contentType);
      for (const headers of TAGS) {
        const expected = kept ? contentType : 'text/plain; charset=utf-8';
        t.is(await typeOf(headers), expected, contentType);
        t.is(await typeOf({ ...headers, range: 'bytes=0-0' }), expected, contentType);
      }
      for (const headers of OTHERS) t.is(await typeOf(headers), contentType);
    }
    const overridden = '/bucket/a?responseContentType=text/javascript';
    for (const headers of TAGS) {
      const { status } = await call(origin, 'GET', overridden, { headers: { ...headers } });
      t.is(status, trustedContent ? 200 : 400);
    }
    t.is((await call(origin, 'GET', overridden)).headers['content-type'], 'text/javascript');
  });
}

test('a response with one caller’s overrides is not for shared caches', async (t) => {
  const storage = await memoryStorage();
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  const asAlice = storage.as(alice);
  await asAlice.putBucket({ bucket });
  await asAlice.putObject({ bucket, key: 'own', body: 'x', cacheControl: 'max-age=600' });
  await asAlice.putObject({
    bucket,
    key: 'open',
    body: 'x',
    acl: 'public-read',
    cacheControl: 'public',
  });
  const refused = 'InvalidArgument';
  const rows = [
    ['own', '', 'max-age=600'],
    ['own', 'responseContentDisposition=attachment', 'max-age=600'],
    ['own', 'responseExpires=x', 'max-age=600'],
    ['own', 'responseCacheControl=no-cache', 'no-cache'],
    ['own', 'responseCacheControl=private=%22x%22', 'private="x"'],
    ['own', 'responseCacheControl=no-store', 'no-store'],
    ['own', 'responseCacheControl=max-age=60,%20Private', 'max-age=60, Private'],
    ['own', 'responseCacheControl=ext=%22,public,%22', 'ext=",public,"'],
    ['own', 'responseCacheControl=no-cache&responseExpires=x', 'no-cache'],
    ['own', 'responseCacheControl=no-transform&responseExpires=x', refused],
    ['own', 'responseCacheControl=max-age=60', refused],
    ['own', 'responseCacheControl=must-revalidate', refused],
    ['own', 'responseCacheControl=ext=%22%20private%20%22,public,max-age=600', refused],
    ['own', 'responseCacheControl=ext=%22%5C%22,%20private,%20%22,max-age=600', refused],
    ['own', 'responseCacheControl=private=%22x%22,max-age=600', refused],
    ['own', 'responseCacheControl=private=x,max-age=600', refused],
    ['own', 'responseCacheControl=no-store,must-understand,max-age=600', refused],
    ['own', 'responseCacheControl=ext=%22,private,max-age=600', refused],
    ['own', 'responseCacheControl=x%20private,public', refused],
    ['own', 'responseCacheControl=x%20public', refused],
    ['own', 'responseCacheControl=Public', refused],
    ['own', 'responseCacheControl=max-age=1,s-maxage=600', refused],
    ['open', '', 'public'],
    ['open', 'responseContentDisposition=attachment', 'private, max-age=0, no-transform'],
    ['open', 'responseCacheControl=public,max-age=60', 'public,max-age=60'],
    ['open', 'responseCacheControl=max-age=60', 'max-age=60'],
    ['open', 'responseCacheControl=max-age=60&responseExpires=x', refused],
    ['open', 'responseCacheControl=public&responseContentType=text/x', refused],
  ] as const;
  for (const [key, query, expected] of rows) {
    const { status, headers, text } = await call(origin, 'GET', `/bucket/${key}?${query}`);
    const found = status === 200 ? headers['cache-control'] : JSON.parse(text).code;
    t.is(found, expected, `${key} ${query}`);
    if (status !== 200) continue;
    t.is(/Authorization, Cookie/.test(String(headers.vary)), key === 'own', `${key} ${query}`);
  }
});

test('an error that another caller would not get is not for a shared cache', async (t) => {
  const storage = await memoryStorage();
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  const owner = storage.as(alice);
  await owner.putBucket({ bucket });
  await owner.putObject({ bucket, key: 'own', body: 'x' });
  await owner.putObject({ bucket, key: 'open', body: 'x', acl: 'public-read' });
  for (const [path, headers, expected] of [
    ['/bucket/own', {}, 403],
    ['/bucket', {}, 403],
    ['/bucket/open', { 'x-svc-unknown': '1' }, 400],
    ['/bucket/open', { range: 'bytes=9-' }, 416],
    ['/bucket/open', { 'if-match': '"other"' }, 412],
    ['/bucket/open', { 'sec-fetch-dest': 'script' }, 403],
  ] as const) {
    const raw = Object.entries(headers).flat();
    const answer = await call(origin, 'GET', path, { headers: { authorization: '', ...headers } });
    t.is(answer.status, expected, `${path} ${raw}`);
    t.is(answer.headers['cache-control'], 'private', `${path} ${raw}`);
  }
});
