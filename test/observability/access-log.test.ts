import { setTimeout as sleep } from 'node:timers/promises';
import { type AccessLogOptions, accessLog } from '@bucketware/observability';
import test, { type ExecutionContext } from 'ava';
import { call } from '../http/raw.js';
import { alice, listen, memoryStorage, onKoa } from '../http/servers.js';

async function serve(t: ExecutionContext, format: AccessLogOptions['format']) {
  const storage = await memoryStorage();
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const lines: string[] = [];
  const stop = accessLog(storage, { format, write: (line) => lines.push(line) });
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  const next = async () => {
    while (lines.length === 0) await sleep(5);
    return lines.shift() as string;
  };
  return { origin, lines, next, stop };
}

test('the combined format can be read by tools for web servers', async (t) => {
  const { origin, lines, next, stop } = await serve(t, 'combined');
  const headers = { referer: 'http://app.example/a?x=1', 'user-agent': 'Some/1.0 "quoted"\té' };
  await call(origin, 'PUT', '/bucket/a%20b', { body: 'four', headers });
  const stamp = String.raw`\[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000\]`;
  const line = new RegExp(
    String.raw`^127\.0\.0\.1 - u-alice ${stamp} "PUT /bucket/a%20b HTTP/1\.1" 200 0 ` +
      String.raw`"http://app\.example/a\?x=1" "Some/1\.0 \\"quoted\\"\\x09\\xC3\\xA9"$`,
  );
  t.regex(await next(), line);
  await call(origin, 'GET', '/bucket/none', { as: '' });
  t.regex(
    await next(),
    /^127\.0\.0\.1 - - \[.*\] "GET \/bucket\/none HTTP\/1\.1" 403 \d+ "-" "-"$/,
  );
  stop();
  await call(origin, 'GET', '/bucket/none');
  t.deepEqual(lines, []);
});

test('no format contains a signature', async (t) => {
  const secret = 'bce-auth-v1%2Fkey%2F2026-01-01T00:00:00Z%2F60%2Fhost%2Fabcdef';
  const path = `/bucket/a?authorization=${secret}&%61uthorization=abcdef&X-Amz-Signature=abcdef&x`;
  for (const format of ['combined', 'common', 'json'] as const) {
    const { origin, next } = await serve(t, format);
    const once = encodeURIComponent(path);
    const thrice = encodeURIComponent(encodeURIComponent(once));
    const nested = `${path}&next=${thrice}&after=%FC${once}&${once}`;
    await call(origin, 'GET', path, { headers: { referer: `http://app.example${nested}` } });
    const line = await next();
    t.false(line.includes('abcdef'), line);
    t.true(line.includes('/bucket/a?authorization=***&%61uthorization=***&X-Amz-Signature=***&x'));
  }
});

test('JSON contains all fields', async (t) => {
  const { origin, next } = await serve(t, 'json');
  const put = await call(origin, 'PUT', '/bucket/key', { body: 'four' });
  const { time, firstByte, duration, ...rest } = JSON.parse(await next());
  t.false(Number.isNaN(Date.parse(time)));
  t.true(firstByte > 0 && duration >= firstByte);
  t.deepEqual(rest, {
    requestId: put.headers['x-svc-request-id'],
    address: '127.0.0.1',
    tenant: 'acme-1001',
    user: 'u-alice',
    method: 'PUT',
    url: '/bucket/key',
    dialect: 'json',
    operation: 'PutObject',
    bucket: 'bucket',
    key: 'key',
    status: 200,
    bytesIn: 4,
    bytesOut: 0,
    complete: true,
  });
});

test('a key cannot break a line of JSON, or control a terminal that shows it', async (t) => {
  const { origin, next } = await serve(t, 'json');
  const key = 'a\n\u001b[31m\u0085\u009b31m\u2028\u2029\u007f';
  await call(origin, 'PUT', `/bucket/${encodeURIComponent(key)}`, { body: 'x' });
  const line = await next();
  t.notRegex(line, /[\p{Cc}\u2028\u2029]/u);
  t.is(JSON.parse(line).key, key);
});

test('a forwarded address is logged only if it is an IP address', async (t) => {
  const storage = await memoryStorage();
  const lines: string[] = [];
  accessLog(storage, { write: (line) => lines.push(line) });
  accessLog(storage, { format: 'json', write: (line) => lines.push(line) });
  const { origin, close } = await listen(onKoa(storage, { trustProxy: true }));
  t.teardown(close);
  const shown = async (forwarded: string) => {
    await call(origin, 'GET', '/', { headers: { 'x-forwarded-for': forwarded } });
    while (lines.length < 2) await sleep(5);
    const [combined, json] = lines.splice(0) as [string, string];
    return [combined.split('[', 1)[0], JSON.parse(json).address];
  };
  t.deepEqual(await shown('2001:db8::7, 10.0.0.1'), ['2001:db8::7 - u-alice ', '2001:db8::7']);
  const forged = '6.6.6.6 - admin [22/Nov/2026:00:00:00 +0000] "DELETE / HTTP/1.1" 204 0 "x"';
  t.deepEqual(await shown(forged), ['- - u-alice ', undefined]);
});

test('a line that cannot be written is reported, and changes no response', async (t) => {
  const reported: unknown[] = [];
  const storage = await memoryStorage({ onError: (error) => reported.push(error) });
  const full = new Error('The disk is full.');
  accessLog(storage, { write: () => Promise.reject(full) });
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  t.is((await call(origin, 'GET', '/')).status, 200);
  while (reported.length === 0) await sleep(5);
  t.deepEqual(reported, [full]);
});

test('an unknown format is rejected', async (t) => {
  const storage = await memoryStorage();
  t.throws(() => accessLog(storage, { format: 'apache' as never }), {
    message: /combined, common/,
  });
});
