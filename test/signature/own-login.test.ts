import { storageMiddleware } from '@bucketware/express';
import { presignV1, type Signer, signV1, v1Signatures, v1Verifier } from '@bucketware/signature';
import test, { type ExecutionContext } from 'ava';
import express, { type Request } from 'express';
import { alice, listen, memoryStorage } from '../http/servers.js';

const SIGNER: Signer = { accessKey: 'AKALICE', secret: 'the secret of alice' };
const credentials = { AKALICE: { secret: SIGNER.secret, principal: alice } };

/** An app that verifies signatures itself, and assumes that the storage has the prefix `x-svc-`. */
async function serve(t: ExecutionContext) {
  const verifier = v1Verifier({ credentials, headerPrefix: 'x-svc-' });
  const principal = async ({ method, originalUrl, rawHeaders, baseUrl: mount }: Request) => {
    const [rawPath = '', rawQuery = ''] = originalUrl.split('?');
    const request = { method, rawPath, rawQuery, rawHeaders, mount, now: Date.now() };
    return verifier.isSigned(request) ? (await verifier.verify(request)).principal : undefined;
  };
  const failures: unknown[] = [];
  const storage = await memoryStorage({ onError: (error) => failures.push(error) });
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  await storage.putObject({ bucket: 'bucket', key: 'secret', body: 'SECRET' });
  const app = express();
  app.use('/json', storageMiddleware(storage, { principal, headerPrefix: 'x-bce-' }));
  const { origin, close } = await listen(app);
  t.teardown(close);
  return { storage, failures, origin };
}

const codeOf = async (answer: Response): Promise<string> => {
  const text = await answer.text();
  return /(?<="code":")\w+/.exec(text)?.[0] ?? String(answer.status);
};

test('a link that the host verifies allows no unsigned header of the service', async (t) => {
  const { storage, origin } = await serve(t);
  const target = { publicUrl: `${origin}/json`, method: 'PUT', path: '/bucket/new' };
  const put = async (signed: Record<string, string>, sent: Record<string, string>) => {
    const url = presignV1(SIGNER, { ...target, headers: signed, now: Date.now() });
    return codeOf(await fetch(url, { method: 'PUT', headers: sent }));
  };
  const copies = { 'x-bce-copy-source': '/bucket/secret' };
  for (const headers of [copies, { 'X-Bce-Acl': 'public-read' }, { 'x-bce-meta-a': 'b' }]) {
    t.is(await put({}, headers as Record<string, string>), 'SignatureDoesNotMatch');
  }
  await t.throwsAsync(storage.getObject({ bucket: 'bucket', key: 'new' }));
  t.is(await put({}, {}), '200');
  t.is(await put(copies, copies), '200');

  const signed = signV1(SIGNER, { ...target, now: Date.now() });
  const headers = { ...signed, ...copies };
  const answer = await fetch(`${origin}/json/bucket/new`, { method: 'PUT', headers });
  t.is(await codeOf(answer), 'SignatureDoesNotMatch', 'signed in a header');
});

test('a signature that the host rejects is rejected by the storage, and is not a failure', async (t) => {
  const { failures, origin } = await serve(t);
  const target = { method: 'GET', path: '/bucket/secret', now: Date.now() };
  const open = async (signer: Signer) =>
    codeOf(await fetch(presignV1(signer, { ...target, publicUrl: `${origin}/json` })));
  t.is(await open(SIGNER), '200');
  t.is(await open({ ...SIGNER, secret: 'another' }), 'SignatureDoesNotMatch');
  t.is(await open({ ...SIGNER, accessKey: 'AKNOBODY' }), 'InvalidAccessKeyId');
  t.deepEqual(failures, []);
});

test('signatures must use the header prefix of the storage', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  const signatures = v1Signatures({ credentials });
  const publicUrl = 'https://files.example';
  const { presign } = storage.handler({ signatures, headerPrefix: 'x-bce-', publicUrl });
  const link = { bucket: 'bucket', key: 'key', accessKey: 'AKALICE' };
  const url = await presign({ ...link, action: 'putObject', storageClass: 'COLD' });
  t.regex(decodeURIComponent(url), /\/host;x-bce-storage-class\//);
  t.throws(() => v1Signatures({ credentials, headerPrefix: 'x-svc-' } as never), {
    message: /has no option headerPrefix/,
  });
  t.throws(() => v1Verifier({ credentials } as never), {
    message: /needs the option headerPrefix/,
  });
});
