import { storageConsole as consoleInExpress } from '@bucketware/console/express';
import { storageConsole as consoleInKoa } from '@bucketware/console/koa';
import {
  createObjectStorage,
  memoryBlobs,
  memoryMetadata,
  type ObjectStorage,
  StorageError,
} from '@bucketware/core';
import { storageMiddleware as expressStorage } from '@bucketware/express';
import { storageMiddleware as koaStorage, storageRouter } from '@bucketware/koa';
import test, { type ExecutionContext } from 'ava';
import { memoryStorage } from './servers.js';

/** For calls like those of JavaScript, without types. */
type Loose = (...given: unknown[]) => unknown;

const refused = (t: ExecutionContext, call: () => unknown, message: RegExp) =>
  t.throws(call, { instanceOf: TypeError, message });

const open = (options: object) =>
  (createObjectStorage as Loose)({
    blobs: memoryBlobs(),
    metadata: memoryMetadata(),
    ...options,
  }) as Promise<ObjectStorage>;

const principal = () => undefined;

test('an option with an unknown name is rejected at once, with the nearest known name', async (t) => {
  const storage = await memoryStorage();
  const handler = storage.handler as Loose;
  refused(
    t,
    () => handler({ authorise: () => false }),
    /^storage\.handler\(\) .*authorise.*Did you mean authorize\?/,
  );
  refused(t, () => handler({ 'header-prefix': 'x-a-' }), /Did you mean headerPrefix\?/);
  refused(t, () => handler({ zebra: 1 }), /It has mount, host, baseHost, /);
  for (const [name, mount] of Object.entries({
    storageMiddleware: koaStorage,
    storageRouter,
    storageMiddleware5: expressStorage,
  })) {
    const message = new RegExp(
      `^${name.replace('5', '')}\\(\\) .*autorize.*Did you mean authorize\\?`,
    );
    refused(t, () => (mount as Loose)(storage, { principal, autorize: () => false }), message);
  }
  await t.throwsAsync(open({ inlineLimits: 1 }), { message: /createObjectStorage.*inlineLimit\?/ });
  refused(
    t,
    () => (memoryBlobs as Loose)({ directory: 'x' }),
    /memoryBlobs.*directory.*It has none/,
  );
  refused(t, () => (memoryMetadata as Loose)({ path: 'x' }), /memoryMetadata/);
  await t.throwsAsync((storage.scrub as Loose)({ onDamaged() {} }) as Promise<unknown>, {
    instanceOf: TypeError,
    message: /onDamage\?/,
  });
  const { run } = storage.lifecycle as unknown as { run: Loose };
  await t.throwsAsync(run({ dryrun: true }) as Promise<unknown>, { message: /dryRun\?/ });
  refused(t, () => (storage.maintenance.start as Loose)({ evry: 5 }), /every\?/);
});

test('options must be one plain object', async (t) => {
  const storage = await memoryStorage();
  for (const given of [null, 5, 'x', [], new Map(), () => {}]) {
    refused(t, () => (storage.handler as Loose)(given), /plain object/);
    await t.throwsAsync((createObjectStorage as Loose)(given) as Promise<unknown>, {
      instanceOf: TypeError,
    });
  }
});

test('the error for middleware without a principal says what to pass', async (t) => {
  const storage = await memoryStorage();
  for (const mount of [koaStorage, storageRouter, expressStorage] as Loose[]) {
    for (const options of [{}, { principal: undefined }, { principal: { userId: 'u' } }]) {
      refused(
        t,
        () => mount(storage, options),
        /principal.*tenantId.*principal: \(\) => undefined/,
      );
    }
    refused(t, () => mount(storage), /plain object/);
  }
});

test('what is not a driver, a storage or a dialect is rejected, with the methods that it lacks', async (t) => {
  const storage = await memoryStorage();
  const openLater = async (options: object) => open(options);
  for (const [options, message] of [
    [{ metadata: {} }, /metadata must be a MetadataStore, .*without get, getMany, list, commit, /],
    [{ metadata: Promise.resolve() }, /metadata must .* not a promise\. Await it first\.$/],
    [{ blobs: memoryMetadata() }, /blobs must be a BlobStore, .*without identity, identify, write/],
  ] as const) {
    await t.throwsAsync(openLater(options), { instanceOf: TypeError, message });
  }
  const handler = storage.handler as Loose;
  refused(t, () => handler({ dialect: {} }), /dialect must be a dialect, such as s3\(\), .*pathOf/);
  const mounts = { koaStorage, storageRouter, expressStorage, consoleInKoa, consoleInExpress };
  for (const mount of Object.values(mounts) as Loose[]) {
    const opened =
      /takes a storage that openStorage\(\) or createObjectStorage\(\) has opened, not /;
    refused(t, () => mount({}, { principal }), opened);
    refused(t, () => mount(memoryStorage(), { principal }), /not a promise\. Await it first\.$/);
    refused(t, () => mount(storage), /takes its options as a plain object, not as undefined/);
  }
});

test('values of options are checked at once', async (t) => {
  const storage = await memoryStorage();
  const rows: Readonly<Record<string, readonly unknown[]>> = {
    mount: ['storage', '', 5, '/a?b', '/a b'],
    baseHost: ['', 'a b', 'http://x.test', 'x.test:80', '.x.test', 5],
    host: ['', 'a b', 'https://x.test', 'x.test:443', 'x.test.', true],
    hosts: ['a', { 'a:80': 'bucket' }, { a: 'B' }, { a: 1 }, { 'a.b': 'bucket', 'A.b': 'other' }],
    publicUrl: [
      '/files',
      'ftp://x.test',
      'x.test',
      'https://',
      'https://x.test/?a',
      'https://u:p@x.test',
    ],
    headerPrefix: [
      ...['', 'x', 'x-', 'x-svc', 'svc-', 'x-a b-', 'x--', 'x-a--', 'X-Acme-', 5],
      ...['x-amz-', 'x-forwarded-'],
    ],
    trustProxy: ['false', 0, null],
    trustedContent: ['true', 1],
    authorize: [true, {}],
    onError: ['log'],
    stallTimeout: [-1, Number.NaN, '60000', Number.POSITIVE_INFINITY, null],
    patience: [5, {}, { after: 1 }, { after: '1', every: 1 }, { after: 1, every: 0 }],
  };
  for (const [name, values] of Object.entries(rows)) {
    for (const value of values) {
      const message = new RegExp(`${name} must be `);
      refused(t, () => (storage.handler as Loose)({ [name]: value }), message);
    }
  }
  const settings: Readonly<Record<string, readonly unknown[]>> = {
    inlineLimit: [-1, 1.5, '1', Number.NaN, 2 ** 25],
    readGrace: [-1, '1h', Number.MAX_SAFE_INTEGER],
    appendMemory: [-1, 2 ** 27, Number.MAX_SAFE_INTEGER],
    maxSegments: [1, 20_000],
    segmentsInRecord: ['64'],
    sweepEvery: [0, 2 ** 31, true, '1'],
    location: ['', 5],
    maxBucketsPerOwner: [-1, 0.5],
    now: [5],
    onError: [null],
    blobs: [undefined, null, 'filesystem'],
    metadata: [undefined, 'lmdb'],
  };
  for (const [name, values] of Object.entries(settings)) {
    for (const value of values) {
      await t.throwsAsync(open({ [name]: value }), {
        instanceOf: TypeError,
        message: new RegExp(`\\b${name}\\b`),
      });
    }
  }
});

test('parameters of operations with unknown names are InvalidArgument, with the nearest name', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket: 'bucket' });
  const target = { bucket: 'bucket', key: 'key' };
  const refusedParams = async (call: Loose, given: unknown, message: RegExp) => {
    const error = await t.throwsAsync(call(given) as Promise<unknown>, {
      instanceOf: StorageError,
    });
    t.is((error as StorageError).code, 'InvalidArgument');
    t.regex(String(error?.message), message);
  };
  const { putObject, getObject, listBuckets, listObjects, deleteObject } =
    storage as unknown as Record<string, Loose>;
  const put = { ...target, body: 'x' };
  await refusedParams(
    putObject as Loose,
    { ...put, ContentType: 'a/b' },
    /^putObject\(\) .*ContentType\. Did you mean contentType\?$/,
  );
  await refusedParams(putObject as Loose, { ...put, 'content-type': 'a/b' }, /contentType\?/);
  await refusedParams(
    getObject as Loose,
    { ...target, body: 'x' },
    /getObject\(\) has no parameter body/,
  );
  await refusedParams(getObject as Loose, { bucket: 'bucket', Key: 'key' }, /Did you mean key\?/);
  await refusedParams(listBuckets as Loose, { bucket: 'bucket' }, /listBuckets/);
  await refusedParams(listObjects as Loose, { bucket: 'bucket', maxkeys: 5 }, /maxKeys\?/);
  await refusedParams(deleteObject as Loose, 'bucket', /one object of parameters/);
  await t.throwsAsync(storage.getObject(target), { message: /no object/ });
});
