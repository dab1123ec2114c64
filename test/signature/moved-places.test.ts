import type { HandlerOptions } from '@bucketware/core';
import { s3 } from '@bucketware/s3';
import { presignS3 } from '@bucketware/signature';
import test, { type ExecutionContext } from 'ava';
import { carriers } from '../http/carriers.js';
import { call } from '../http/raw.js';
import { alice, listen, memoryStorage } from '../http/servers.js';

const SIGNER = { accessKey: 'AKALICE', secret: 'the secret of alice' };
const credentials = { AKALICE: { secret: SIGNER.secret, principal: alice } };

/**
 * A server with the objects `first/key`, `second/key` and `first/second/key`. The content of each
 * is its name.
 */
async function serve(t: ExecutionContext, options: HandlerOptions) {
  const storage = await memoryStorage();
  const dialect = s3({ credentials });
  const listener = carriers.express5(storage, { mount: '/s3', dialect, ...options });
  const { origin, close } = await listen(listener);
  t.teardown(close);
  for (const bucket of ['first', 'second']) await storage.as(alice).putBucket({ bucket });
  for (const [bucket, key] of [
    ['first', 'key'],
    ['second', 'key'],
    ['first', 'second/key'],
    ['first', 'user/s3/second/key'],
  ] as const) {
    await storage.putObject({ bucket, key, body: `${bucket}/${key}` });
  }
  /**
   * Sends the query of a signed link with other paths and headers. Returns the content, or the
   * code.
   */
  return async (link: string, path: string, headers: Readonly<Record<string, string>>) => {
    const { origin: publicUrl, pathname } = new URL(link);
    const target = { publicUrl, rawPath: pathname, method: 'GET', now: Date.now(), expires: 60 };
    const query = new URL(presignS3(SIGNER, target)).search;
    const { text } = await call(origin, 'GET', path + query, { headers });
    return /<Code>(\w+)</.exec(text)?.[1] ?? text;
  };
}

const SITE = 'files.example';
const FORGED = 'SignatureDoesNotMatch';

test('no forwarded prefix makes the signature of one object valid for another', async (t) => {
  const open = await serve(t, { trustProxy: true });
  const link = `https://${SITE}/s3/first/user/s3/second/key`;
  const host = { host: SITE };
  t.is(await open(link, '/s3/first/user/s3/second/key', host), 'first/user/s3/second/key');
  const prefix = '/s3/first/user';
  t.is(await open(link, '/s3/second/key', { ...host, 'x-forwarded-prefix': prefix }), FORGED);
  const forwarded = { host: 'internal', 'x-forwarded-host': SITE };
  t.is(await open(`https://${SITE}/s3/first/key`, '/s3/first/key', forwarded), 'first/key');
  t.is(await open(`https://internal/s3/first/key`, '/s3/first/key', forwarded), 'first/key');
});

test('behind a proxy that strips a path, the signature is valid below the public URL', async (t) => {
  const publicUrl = `https://${SITE}/api/files`;
  const open = await serve(t, { publicUrl, trustProxy: true });
  const headers = { host: 'internal', 'x-forwarded-prefix': '/elsewhere' };
  t.is(await open(`${publicUrl}/first/key`, '/s3/first/key', headers), 'first/key');
  t.is(await open(`https://${SITE}/elsewhere/first/key`, '/s3/first/key', headers), FORGED);
});

test('behind a proxy that adds a path, the signature is valid at the public URL only', async (t) => {
  const open = await serve(t, { mount: '/first', publicUrl: `https://${SITE}` });
  const host = { host: SITE };
  const link = `https://${SITE}/first/second/key`;
  t.is(await open(link, '/first/first/second/key', host), 'first/second/key');
  t.is(await open(link, '/first/second/key', host), FORGED);
  for (const other of [`${SITE.toUpperCase()}`, `${SITE}:443`]) {
    const named = `https://${other}/first/second/key`;
    t.is(await open(named, '/first/second/key', { host: other }), FORGED);
  }
  t.is(
    await open('https://internal/first/second/key', '/first/second/key', { host: 'internal' }),
    'second/key',
  );
});

test('behind a proxy that strips the name of a bucket, the signature is valid at the public URL only', async (t) => {
  const publicUrl = `https://${SITE}/first`;
  const open = await serve(t, { mount: '/', publicUrl });
  const link = `${publicUrl}/second/key`;
  t.is(await open(link, '/second/key', { host: SITE }), 'second/key');
  t.is(await open(link, '/first/second/key', { host: SITE }), FORGED);
});

test('no forwarded host makes the signature of one object valid for another', async (t) => {
  const at = (bucket: string) => `${bucket}.objects.example`;
  const options = { baseHost: 'objects.example', trustProxy: true };
  const open = await serve(t, options);
  const link = `https://${at('first')}/second/key`;
  const path = '/second/key';
  t.is(await open(link, path, { host: at('first') }), 'first/second/key');
  t.is(
    await open(link, path, { host: 'internal', 'x-forwarded-host': at('first') }),
    'first/second/key',
  );
  const moved = { host: at('first'), 'x-forwarded-host': at('second') };
  t.is(await open(`https://${at('first')}/key`, '/key', moved), FORGED);
  const inside = { host: 'internal', 'x-forwarded-host': at('first') };
  t.is(await open('https://internal/second/key', path, inside), FORGED);

  const root = await serve(t, { ...options, mount: '/', publicUrl: `https://${at('first')}` });
  t.is(await root(link, path, { host: 'internal' }), FORGED);
});
