import { StorageError } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { call } from './raw.js';
import { alice, listen, memoryStorage, onKoa } from './servers.js';

const bucket = 'bucket';
const GRANT = { grantee: [{ id: 'u-bob' }], permission: ['READ'] };
const CORS = { allowedOrigins: ['http://a'], allowedMethods: ['GET'] };
const RULE = { status: 'enabled', resource: [`${bucket}/*`] } as const;
const DELETE = { name: 'DeleteObject' };
const days = (dateGreaterThan: unknown) => ({ condition: { time: { dateGreaterThan } } });

async function prepared(t: ExecutionContext) {
  const storage = await memoryStorage();
  const server = await listen(onKoa(storage, {}));
  t.teardown(server.close);
  await storage.as(alice).putBucket({ bucket });
  const send = (method: string, path: string, body?: object) =>
    call(server.origin, method, `/${bucket}${path}`, { body: body && JSON.stringify(body) });
  return { storage, send };
}

test('an error for a program names the invalid member of an item, and says what it must be', async (t) => {
  const { storage } = await prepared(t);
  const rule = { ...RULE, action: 'DeleteObject' } as const;
  const noon = new Date('2030-01-01T12:00:00Z');
  const rules = (...changed: object[]) =>
    [
      'putBucketLifecycle',
      { rule: [rule, ...changed.map((one) => ({ ...rule, ...one }))] },
    ] as const;
  const grants = (...accessControlList: unknown[]) =>
    ['putBucketAcl', { accessControlList }] as const;
  const cors = (changed: object) =>
    ['putBucketCors', { corsConfiguration: [CORS, { ...CORS, ...changed }] }] as const;
  const parts = (...list: unknown[]) =>
    ['completeMultipartUpload', { key: 'a', uploadId: 'x', parts: list }] as const;
  const objects = (...list: unknown[]) => ['deleteMultipleObjects', { objects: list }] as const;
  const rows: readonly (readonly [readonly [string, object], string])[] = [
    [['putBucketLifecycle', { rule: [] }], 'rule must be a list of at least one rule.'],
    [['putBucketLifecycle', { rule: [1] }], 'rule[0] must be an object.'],
    [['putBucketLifecycle', { rule: Array(1001).fill(rule) }], 'rule has 1001 items.'],
    [rules({ status: 'on' }), 'rule[1].status must be enabled or disabled.'],
    [rules({ status: undefined }), 'rule[1].status must be enabled or disabled.'],
    [rules({ id: 'x'.repeat(256) }), 'rule[1].id must have at most 255 characters.'],
    [rules({ id: 'x' }, { id: 'x' }), 'The rule id "x" is used twice.'],
    [rules({ resource: [] }), 'rule[1].resource must have at least one item.'],
    [rules({ resource: ['bucket/', 'a'] }), 'rule[1].resource[1] must be <bucket>/ or'],
    [
      rules({ action: 'Transition' }),
      'rule[1].action must be DeleteObject or AbortMultipartUpload.',
    ],
    [
      rules({ expires: { afterDays: 0 } }),
      'rule[1].expires.afterDays must be a whole number from 1',
    ],
    [rules({ expires: { afterDays: '7' } }), 'rule[1].expires.afterDays must be a whole number'],
    [rules({ expires: { at: noon } }), 'rule[1].expires.at must be a Date at midnight in UTC.'],
    [rules({ expires: { at: new Date(Number.NaN) } }), 'rule[1].expires.at must be a Date at'],
    [rules({ expires: { at: '2030-01-01' } }), 'rule[1].expires.at must be a Date at'],
    [rules({ expires: { at: new Date('+010000-01-01') } }), 'rule[1].expires.at must be a Date'],
    [
      rules({ expires: { afterDays: 1, at: new Date('2030-01-01') } }),
      'rule[1].expires must have afterDays or at, not both.',
    ],
    // A rule without a time acts at once. A time that is undefined by mistake must not cause that.
    [rules({ expires: undefined }), 'rule[1].expires is undefined. Pass a value, or leave it out.'],
    [rules({ expires: { afterDays: undefined } }), 'rule[1].expires.afterDays is undefined. Pass'],
    [rules({ expires: { at: undefined } }), 'rule[1].expires.at is undefined. Pass'],
    [rules({ tags: undefined }), 'rule[1].tags is undefined. Pass'],
    [rules({ expires: { days: 7 } }), 'rule[1].expires has no field days. It has afterDays, at.'],
    [rules({ condition: {} }), 'rule[1] has no field condition.'],
    [grants({ grantee: GRANT.grantee }), 'accessControlList[0].permission is missing. It must be'],
    [grants(GRANT, { ...GRANT, permission: ['read'] }), 'accessControlList[1].permission must be'],
    [grants({ ...GRANT, grantee: [{ id: '' }] }), 'accessControlList[0].grantee[0].id must be'],
    [grants({ ...GRANT, effect: 'deny' }), 'accessControlList[0].effect must be Allow or Deny.'],
    [grants({ ...GRANT, resource: ['a**'] }), 'accessControlList[0].resource must be a list of'],
    [['putObjectAcl', { key: 'a', grantRead: [] }], 'grantRead must be a list of user ids, or of'],
    [['putObjectAcl', { key: 'a', grantRead: ['u-bob', ''] }], 'grantRead[1].id must be a string'],
    [
      ['putObjectAcl', { key: 'a', grantRead: [{ id: '*', tenant: '1' }] }],
      'grantRead[0] has no field tenant. Did you mean tenantId?',
    ],
    [cors({ allowedMethods: ['get'] }), 'corsConfiguration[1].allowedMethods must be a list of'],
    [cors({ allowedOrigins: ['a', 'b c'] }), 'corsConfiguration[1].allowedOrigins[1] must be an'],
    [cors({ maxAgeSeconds: -1 }), 'corsConfiguration[1].maxAgeSeconds must be a whole number'],
    [parts({ partNumber: 1, etag: 'x' }, { partNumber: 2 }), 'parts[1].etag must be a string.'],
    [parts({ etag: 'x' }), 'parts[0].partNumber must be a number.'],
    [parts({ partNumber: 10_001, etag: 'x' }), 'parts[0].partNumber must be a whole number from 1'],
    [objects({ key: 'a' }, {}), 'objects[1] must be an object with a key.'],
    [objects({ key: 'a', tag: 1 }), 'objects[0] has no field tag.'],
  ];
  for (const [[name, params], message] of rows) {
    const run = (storage as never)[name] as (params: object) => Promise<unknown>;
    const error = await t.throwsAsync<StorageError>(run({ bucket, ...params }), {
      instanceOf: StorageError,
    });
    t.is(error?.code, 'InvalidArgument', message);
    t.true(error?.message.startsWith(message), `${error?.message}`);
  }
});

test('an error for a client names the invalid member, in the terms of its JSON', async (t) => {
  const { send } = await prepared(t);
  const rule = { ...RULE, condition: {}, action: DELETE };
  const rules = (...changed: object[]) =>
    [
      'PUT',
      '?lifecycle',
      { rule: [rule, ...changed.map((one) => ({ ...rule, ...one }))] },
    ] as const;
  const grants = (...accessControlList: unknown[]) =>
    ['PUT', '?acl', { accessControlList }] as const;
  const cors = (changed: object) =>
    ['PUT', '?cors', { corsConfiguration: [{ ...CORS, ...changed }] }] as const;
  const parts = (...list: unknown[]) => ['POST', '/a?uploadId=x', { parts: list }] as const;
  const [wrong, invalid] = ['InappropriateJSON', 'InvalidArgument'];
  const rows: readonly (readonly [readonly [string, string, object], string, string])[] = [
    [rules({ status: 'on' }), wrong, 'rule[1].status must be enabled or disabled.'],
    [rules({ resource: 1 }), wrong, 'rule[1].resource must be a list of strings.'],
    [rules({ resource: ['a'] }), invalid, 'rule[1].resource[0] must be <bucket>/'],
    [rules({ condition: undefined }), wrong, 'rule[1].condition is missing. It must be an object.'],
    [rules({ condition: { times: {} } }), wrong, 'rule[1].condition has no field "times". Did you'],
    [
      rules({ condition: { note: 1 } }),
      wrong,
      'rule[1].condition has no field "note". Ignoring it',
    ],
    [
      rules(days(7)),
      wrong,
      'rule[1].condition.time.dateGreaterThan must be yyyy-mm-ddT00:00:00Z or',
    ],
    [rules(days('2030-02-30T00:00:00Z')), invalid, 'rule[1].condition.time.dateGreaterThan must'],
    [rules({ action: {} }), wrong, 'rule[1].action must be DeleteObject or AbortMultipartUpload.'],
    [rules({ action: { name: 'Transition' } }), invalid, 'rule[1].action must be DeleteObject or'],
    [rules({ not: { tag: 1 } }), 'NotImplemented', 'Rules with not, tag or objectSize are not'],
    [grants({ ...GRANT, permission: ['read'] }), wrong, 'accessControlList[0].permission must be'],
    [grants({ ...GRANT, efect: 'Deny' }), wrong, 'accessControlList[0] has no field "efect". Did'],
    [
      grants({ ...GRANT, condition: { a: 1 } }),
      'NotImplemented',
      'Grants with a condition are not',
    ],
    [grants(...Array(101).fill(GRANT)), invalid, 'accessControlList has 101 items. It may have at'],
    [cors({ maxAgeSeconds: '1' }), wrong, 'corsConfiguration[0].maxAgeSeconds must be a number.'],
    [cors({ maxAgeSeconds: 1.5 }), invalid, 'corsConfiguration[0].maxAgeSeconds must be a whole'],
    [parts({ partNumber: 1 }), wrong, 'parts[0] must be an object with partNumber and eTag.'],
    [parts({ partNumber: '1', eTag: 'x' }), wrong, 'parts[0].partNumber must be a number.'],
    [['POST', '?delete', { objects: [{ key: 1 }] }], wrong, 'objects[0] must be an object with a'],
  ];
  await send('PUT', '/a', {});
  for (const [request, code, message] of rows) {
    const answer = JSON.parse((await send(...request)).text);
    t.is(answer.code, code, message);
    t.true(answer.message.startsWith(message), answer.message);
  }
});

test('a program and a client see the same rules, each in its own terms', async (t) => {
  const { storage, send } = await prepared(t);
  const at = new Date('2030-01-01');
  const rows = [
    [undefined, {}],
    [{}, { time: {} }],
    [{ afterDays: 999_999 }, { time: { dateGreaterThan: '$(lastModified)+P999999D' } }],
    [{ at }, { time: { dateGreaterThan: '2030-01-01T00:00:00Z' } }],
  ] as const;
  const ofProgram = rows.map(([expires], id) => ({
    ...{ id: `${id}`, ...RULE, ...(expires && { expires }) },
    action: 'AbortMultipartUpload' as const,
  }));
  const ofClient = rows.map(([, condition], id) => ({
    ...{ id: `${id}`, ...RULE, condition },
    action: { name: 'AbortMultipartUpload' },
  }));
  for (const set of [
    () => storage.putBucketLifecycle({ bucket, rule: ofProgram }),
    () => send('PUT', '?lifecycle', { rule: ofClient }),
  ]) {
    await set();
    t.deepEqual((await storage.getBucketLifecycle({ bucket })).rule as object, ofProgram);
    t.is((await send('GET', '?lifecycle')).text, JSON.stringify({ rule: ofClient }));
    await storage.deleteBucketLifecycle({ bucket });
  }
});

test('a member without which a rule does the same or less may be undefined', async (t) => {
  const { storage } = await prepared(t);
  const cors = { ...CORS, allowedHeaders: undefined, maxAgeSeconds: undefined };
  await storage.putBucketCors({ bucket, corsConfiguration: [cors] });
  const rule = { ...RULE, id: undefined, action: 'DeleteObject' } as const;
  await storage.putBucketLifecycle({ bucket, rule: [rule, { ...rule, id: '' }] });
  t.deepEqual((await storage.getBucketCors({ bucket })).corsConfiguration as object, [CORS]);
  const { rule: rules } = await storage.getBucketLifecycle({ bucket });
  t.is(new Set(rules.map(({ id }) => id)).size, 2);
  t.true(rules.every(({ id }) => id !== ''));
});
