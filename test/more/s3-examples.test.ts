import { readFile, stat, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { accessKeys } from '@bucketware/example-shared';
import { presignV1 } from '@bucketware/signature';
import test, { type ExecutionContext } from 'ava';
import { directoryOf } from '../drivers/fixtures.js';
import { EXAMPLES, type Example, startExample } from '../http/example-app.js';
import { call } from '../http/raw.js';

const principal = { tenantCode: 't', tenantId: '1', userId: 'u-carol', userName: 'Carol' };
const SECRET = 'a secret of Carol';

/** Resolves every name to this machine, as systems do for names below `localhost`. */
const lookup: LookupFunction = (_, { all }, done) =>
  all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);

function clientOf(t: ExecutionContext, config: S3ClientConfig): S3Client {
  const requestHandler = { httpAgent: new Agent({ lookup }) };
  const client = new S3Client({ region: 'us-east-1', requestHandler, ...config });
  t.teardown(() => client.destroy());
  return client;
}

async function start(t: ExecutionContext, example: Example, directory: string, settings = {}) {
  const app = await startExample(example, directory, settings);
  t.teardown(() => app.stop('SIGKILL'));
  return app;
}

for (const example of EXAMPLES) {
  test(`${example}: a generated access key works for /s3 and s3.localhost, and outlives a restart`, async (t) => {
    const directory = await directoryOf(t);
    const app = await start(t, example, directory);
    const path = join(directory, 'access-keys.json');
    t.is((await stat(path)).mode & 0o777, 0o600);
    const kept = await readFile(path, 'utf8');
    const keys: Readonly<Record<string, { secret: string }>> = JSON.parse(kept);
    const [[accessKeyId, { secret }] = ['', { secret: '' }]] = Object.entries(keys);
    const credentials = { accessKeyId, secretAccessKey: secret };

    const { port } = new URL(app.origin);
    const forcePathStyle = true;
    const below = clientOf(t, { endpoint: `${app.origin}/s3`, credentials, forcePathStyle });
    await below.send(new CreateBucketCommand({ Bucket: 'storage' }));
    const endpoint = `http://s3.localhost:${port}`;
    for (const client of [
      clientOf(t, { endpoint, credentials, forcePathStyle }),
      clientOf(t, { endpoint, credentials }), // The bucket is in the host name.
    ]) {
      const object = { Bucket: 'storage', Key: 's3/a' };
      await client.send(new PutObjectCommand({ ...object, Body: 'hello' }));
      const { Body } = await below.send(new GetObjectCommand(object));
      t.is(await Body?.transformToString(), 'hello');
      const { Owner } = await client.send(new ListBucketsCommand({}));
      t.deepEqual(Owner, { ID: 'u-alice', DisplayName: 'Alice' });
    }
    t.is((await call(app.origin, 'GET', '/storage/storage/s3%2Fa')).text, 'hello');
    const publicUrl = `${app.origin}/storage`;
    const target = { publicUrl, method: 'GET', path: '/storage/s3/a', now: Date.now() };
    const link = presignV1({ accessKey: accessKeyId, secret }, target);
    t.is(await (await fetch(link)).text(), 'hello');
    t.is(JSON.parse((await call(app.origin, 'GET', '/')).text).user, 'Alice');

    t.true(app.printed().includes(`${accessKeyId} AWS_SECRET_ACCESS_KEY=${secret} `));
    await app.stop('SIGTERM');
    await (await start(t, example, directory)).stop('SIGTERM');
    t.is(await readFile(path, 'utf8'), kept);
    t.is(app.errors(), '');
  });
}

test('a file without access keys is rejected with the required format', async (t) => {
  const directory = await directoryOf(t);
  const file = join(directory, 'keys.json');
  const refused = async (reason: string) => {
    const message = new RegExp(`keys\\.json ${reason}[^]*"<access key>": \\{`);
    const error = await t.throwsAsync(accessKeys(file, { directory, principal }), { message });
    t.false(error?.message.includes(SECRET), 'no message has the secret');
  };
  await refused('cannot be read');
  for (const text of [
    `${JSON.stringify({ AKCAROL: { secret: SECRET, principal } })},`,
    '{}',
    '[]',
    JSON.stringify({ AKCAROL: { secret: SECRET } }),
    JSON.stringify({ AKCAROL: { secret: '', principal } }),
    JSON.stringify({ AKCAROL: { secret: SECRET, principal: { ...principal, userId: 7 } } }),
  ]) {
    await writeFile(file, text);
    await refused('is not a file of access keys');
  }
});

test('access keys are read from the file named by CREDENTIALS, and are not printed', async (t) => {
  const directory = await directoryOf(t);
  const CREDENTIALS = join(directory, 'keys.json');
  await t.throwsAsync(startExample('koa-app', directory, { CREDENTIALS }), {
    message: /keys\.json cannot be read/,
  });
  await writeFile(CREDENTIALS, JSON.stringify({ AKCAROL: { secret: SECRET, principal } }));
  const app = await start(t, 'koa-app', directory, { CREDENTIALS });
  const credentials = { accessKeyId: 'AKCAROL', secretAccessKey: SECRET };
  const s3 = clientOf(t, { endpoint: `${app.origin}/s3`, credentials, forcePathStyle: true });
  const { Owner } = await s3.send(new ListBucketsCommand({}));
  t.deepEqual(Owner, { ID: 'u-carol', DisplayName: 'Carol' });
  t.regex(app.printed(), /AKCAROL/);
  t.notRegex(app.printed(), new RegExp(SECRET));
  await t.throwsAsync(stat(join(directory, 'access-keys.json')), { code: 'ENOENT' });
});
