import test from 'ava';
import { call } from './raw.js';
import { alice, carriers, listen, memoryStorage } from './servers.js';

const OTHER = 'https://app.example.com';
const CROSS_SITE = { 'sec-fetch-site': 'cross-site', origin: OTHER };

test('behind a proxy, pages are of the same origin by the host that the client used', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const rows = [
    [{}, { host: 'files.example' }, 'http://files.example', 200],
    [{}, { host: 'files.example:443' }, 'https://files.example', 200],
    [{}, { host: 'files.example' }, 'http://files.example:81', 403],
    [{}, { 'x-forwarded-host': 'files.example' }, 'http://files.example', 403],
    [{ trustProxy: true }, { 'x-forwarded-host': 'files.example' }, 'http://files.example', 200],
    [{ publicUrl: 'https://files.example/x' }, {}, 'https://files.example', 200],
    [{ publicUrl: 'https://files.example/x' }, {}, 'https://files.example:444', 403],
  ] as const;
  for (const [options, headers, origin, status] of rows) {
    const server = await listen(carriers.express5(storage, options));
    t.teardown(server.close);
    const sent = { headers: { ...headers, origin, authorization: 'Bearer alice' }, body: 'x' };
    const answer = await call(server.origin, 'PUT', '/bucket/key', sent);
    t.is(answer.status, status, JSON.stringify([options, headers, origin]));
  }
});

test('crossSiteRequests lets pages in, those of a list or all', async (t) => {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  for (const [crossSiteRequests, origin, status] of [
    ['refuse', OTHER, 403],
    [[OTHER], OTHER, 200],
    [[OTHER], `${OTHER}:1`, 403],
    [[OTHER], 'null', 403],
    ['allow', 'null', 200],
  ] as const) {
    const server = await listen(carriers.koa(storage, { crossSiteRequests }));
    t.teardown(server.close);
    const headers = { ...CROSS_SITE, origin, authorization: 'Bearer alice' };
    const answer = await call(server.origin, 'PUT', '/bucket/key', { headers, body: 'x' });
    t.is(answer.status, status, `${crossSiteRequests} ${origin}`);
  }
  for (const wrong of ['yes', ['app.example.com'], ['https://app.example.com/'], '*']) {
    const options = { crossSiteRequests: wrong as never };
    t.throws(() => storage.handler(options), { message: /crossSiteRequests must be/ });
  }
});

test('a change of another site is refused before anybody asks who is calling', async (t) => {
  const storage = await memoryStorage();
  const handle = storage.handler();
  const answer = await handle({
    method: 'POST',
    url: '/bucket?delete',
    mount: '',
    encrypted: false,
    rawHeaders: ['Host', 'a', 'Origin', 'http://b', 'Content-Length', '5'],
    bodyConsumed: false,
    body: {
      [Symbol.asyncIterator]: () => t.fail('The body was read.') as never,
    },
    principal: () => t.fail('The login was asked.') as never,
  });
  t.is(answer?.status, 403);
});
