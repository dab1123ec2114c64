import test, { type ExecutionContext } from 'ava';
import { call } from './raw.js';
import { alice, listen, memoryStorage, onKoa } from './servers.js';

const bucket = 'bucket';
const EVERYBODY = { grantee: [{ id: '*' }], permission: ['READ'] };
const LATER = { dateGreaterThan: '$(lastModified)+P365D' };
const RULE = {
  ...{ id: 'r', status: 'enabled', resource: [`${bucket}/*`] },
  ...{ condition: { time: LATER }, action: { name: 'DeleteObject' } },
};
/** The same rule as a program passes it. */
const OF_PROGRAM = {
  ...{ id: 'r', status: 'enabled', resource: [`${bucket}/*`] },
  ...{ expires: { afterDays: 365 }, action: 'DeleteObject' },
} as const;

async function serve(t: ExecutionContext) {
  const storage = await memoryStorage();
  const server = await listen(onKoa(storage, {}));
  t.teardown(server.close);
  await storage.as(alice).putBucket({ bucket });
  await storage.putObject({ bucket, key: 'a', body: 'x' });
  const put = async (path: string, body: object) => {
    const answer = await call(server.origin, 'PUT', path, { body: JSON.stringify(body) });
    return answer.status === 200 ? 'taken' : JSON.parse(answer.text).code;
  };
  const grant = (path: string, ...accessControlList: object[]) => put(path, { accessControlList });
  return { storage, put, grant };
}

test('a grant may only have resources of its own bucket, and none in the list of an object', async (t) => {
  const { storage, grant } = await serve(t);
  for (const field of ['resource', 'notResource']) {
    for (const path of [
      'hold/*',
      '/bucket/hold/*',
      'Bucket/hold/*',
      'bucket',
      'bucket*',
      '*',
      '',
    ]) {
      const about = [`${bucket}/*`, path];
      t.is(await grant('/bucket?acl', { ...EVERYBODY, [field]: about }), 'InvalidArgument', path);
    }
    t.is(await grant('/bucket?acl', { ...EVERYBODY, [field]: [] }), 'InappropriateJSON');
    const own = { ...EVERYBODY, [field]: [`${bucket}/*`] };
    t.is(await grant('/bucket/a?acl', own), 'InappropriateJSON');
    t.is(await grant('/bucket?acl', own), 'taken');
    const accessControlList = [{ ...EVERYBODY, [field]: ['hold/*'] }];
    const code = 'InvalidArgument';
    await t.throwsAsync(storage.putBucketAcl({ bucket, accessControlList }), { code });
  }
});

/** Names that no list of misspellings would contain. */
const LIMITS = [
  ...['expiresAt', 'notAfter', 'validUntil', 'ttl', 'ip', 'cidr', 'excludePrefix', 'onlyFrom'],
  ...['keyPrefix', 'origin', 'secureTransport', 'days', 'note'],
];

test('an unknown field of a grant must be empty', async (t) => {
  const { storage, grant } = await serve(t);
  const owner = [{ id: 'u-bob', displayName: 'Bob', remark: '' }];
  for (const path of ['/bucket?acl', '/bucket/a?acl']) {
    for (const given of [
      { ...EVERYBODY, resources: [`${bucket}/pub/*`] },
      { ...EVERYBODY, notresource: [`${bucket}/hold/*`] },
      { ...EVERYBODY, Effect: 'Deny' },
      { ...EVERYBODY, efect: 'Deny' },
      { ...EVERYBODY, conditions: {} },
      { ...EVERYBODY, grantee: [{ id: 'u-bob', tenantID: '9' }] },
      { ...EVERYBODY, grantee: [{ id: 'u-bob', tenant_id: '9' }] },
      { ...EVERYBODY, prefix: 'pub/' },
      { ...EVERYBODY, paths: ['pub/*'] },
      { ...EVERYBODY, expires: '2030-01-01T00:00:00Z' },
      { ...EVERYBODY, deny: true },
      { ...EVERYBODY, enabled: false },
      { ...EVERYBODY, ttl: 0 },
      { ...EVERYBODY, notGrantee: [{ id: 'u-bob' }] },
      { ...EVERYBODY, ipAddress: ['10.0.0.0/8'] },
      { ...EVERYBODY, grantee: [{ id: '*', group: 'staff' }] },
      ...LIMITS.flatMap((name) => [{ [name]: 'x' }, { [name]: [1] }, { [name]: { a: true } }]).map(
        (limit) => ({ ...EVERYBODY, ...limit }),
      ),
    ]) {
      t.is(await grant(path, given), 'InappropriateJSON', JSON.stringify(given));
    }
    t.is(
      await grant(path, {
        ...EVERYBODY,
        grantee: owner,
        ...{ note: '', name: null, prefix: '', filter: {}, ip: [], ttl: null },
        nested: { list: [{ text: '' }] },
      }),
      'taken',
    );
  }
  for (const accessControlList of [
    [{ ...EVERYBODY, remark: '' }],
    [{ ...EVERYBODY, grantee: owner }],
  ]) {
    const given = { bucket, key: 'a', accessControlList };
    await t.throwsAsync(storage.putObjectAcl(given), { code: 'InvalidArgument' });
  }
});

test('a grant with an undefined field is refused, because it would allow more without the field', async (t) => {
  const { storage } = await serve(t);
  const about = { bucket, key: 'a' };
  const tenant = [{ id: '*', tenantId: undefined }] as const;
  const block = { blockPublicAcls: undefined, ignorePublicAcls: true };
  const bucketList = (changed: object) => {
    const accessControlList = [{ ...EVERYBODY, ...changed }];
    return storage.as(alice).putBucketAcl({ bucket, accessControlList });
  };
  for (const [run, place] of [
    [() => bucketList({ grantee: tenant }), 'accessControlList[0].grantee[0].tenantId'],
    [() => bucketList({ resource: undefined }), 'accessControlList[0].resource'],
    [() => bucketList({ notResource: undefined }), 'accessControlList[0].notResource'],
    [() => bucketList({ effect: undefined }), 'accessControlList[0].effect'],
    [
      () =>
        storage.putObjectAcl({ ...about, accessControlList: [{ ...EVERYBODY, grantee: tenant }] }),
      'accessControlList[0].grantee[0].tenantId',
    ],
    [() => storage.putObjectAcl({ ...about, grantRead: tenant }), 'grantRead[0].tenantId'],
    [
      () => storage.putObject({ ...about, body: 'y', grantFullControl: tenant }),
      'grantFullControl[0].tenantId',
    ],
    [
      () => storage.copyObject({ ...about, source: about, grantRead: tenant }),
      'grantRead[0].tenantId',
    ],
    [
      () => storage.putPublicAccessBlock({ bucket, publicAccessBlock: block as never }),
      'publicAccessBlock.blockPublicAcls',
    ],
  ] as const) {
    const message = `${place} is undefined. Pass a value, or leave it out.`;
    await t.throwsAsync(run(), { code: 'InvalidArgument', message });
  }
  await t.throwsAsync(storage.as(undefined).getObject(about), { code: 'AccessDenied' });
});

test('a lifecycle rule with a misspelled condition does not apply to everything', async (t) => {
  const { storage, put } = await serve(t);
  const set = (changed: object) => put('/bucket?lifecycle', { rule: [{ ...RULE, ...changed }] });
  for (const condition of [
    { times: LATER },
    { Time: LATER },
    { time: {}, Time: LATER },
    LATER,
    { time: {}, ...LATER },
    { prefix: 'tmp/' },
    { tag: {}, prefix: 'tmp/' },
    { time: { after: 'P365D' } },
    { time: { ...LATER, dateGreaterThen: '2030-01-01T00:00:00Z' } },
    { time: LATER, tags: { a: 'b' } },
    { time: LATER, prefix: 'tmp/' },
    { time: LATER, notResource: [`${bucket}/keep/*`] },
    { time: { ...LATER, dateLessThan: '2030-01-01T00:00:00Z' } },
  ]) {
    t.is(await set({ condition }), 'InappropriateJSON', JSON.stringify(condition));
  }
  for (const changed of [
    ...[{ Not: { tag: 'x' } }, { resources: [] }, { Status: 'disabled' }],
    ...[{ notResource: [`${bucket}/keep/*`] }, { filter: { prefix: 'tmp/' } }, { prefix: 'tmp/' }],
    ...[{ tag: { a: 'b' } }, { objectSize: { minSize: 1 } }, { expires: { afterDays: 9 } }],
    ...LIMITS.map((name) => ({ [name]: 'x' })),
    { action: { name: 'DeleteObject', days: 9 } },
    { action: { name: 'DeleteObject', days: 0 } },
    { enabled: false },
    { action: { name: 'DeleteObject', keepVersions: 3 } },
    { condition: { time: LATER, olderThan: 'x' } },
    { condition: { time: { ...LATER, lastAccessed: 'x' } } },
  ]) {
    t.is(await set(changed), 'InappropriateJSON', JSON.stringify(changed));
  }
  await t.throwsAsync(
    storage.putBucketLifecycle({ bucket, rule: [{ ...OF_PROGRAM, note: 'x' }] as never }),
    { code: 'InvalidArgument', message: /^rule\[0\] has no field note\. / },
  );
  const classed = { action: { name: 'DeleteObject', storageClass: 'COLD' } };
  t.is(await set(classed), 'InvalidArgument');
  t.is((await storage.lifecycle.run()).deleted, 0);
  // Clients in several languages send empty structures for omitted fields.
  const empty = { not: {}, notResource: null, tag: {}, prefix: '', note: '', ttl: [] };
  t.is(await set({ ...empty, condition: { time: LATER, tag: {}, note: '' } }), 'taken');
  t.is(await set({ action: { name: 'DeleteObject', storageClass: '' } }), 'taken');
  t.is(await put('/bucket?lifecycle', { rule: [RULE], version: 1 }), 'taken');
  t.is(await set({ condition: {} }), 'taken');
});

test.serial('a property that some package adds to Object.prototype is no parameter', async (t) => {
  const storage = await memoryStorage();
  const object = { bucket, key: 'k' };
  await storage.putBucket({ bucket });
  const added = { value: 'public-read', configurable: true, writable: true };
  Object.defineProperty(Object.prototype, 'acl', added);
  try {
    await storage.putObject({ ...object, body: 'x' });
  } finally {
    Reflect.deleteProperty(Object.prototype, 'acl');
  }
  await t.throwsAsync(storage.getObjectAcl(object), { code: 'ObjectAclNotExists' });
});
