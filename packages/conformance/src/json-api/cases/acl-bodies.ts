import assert from 'node:assert/strict';
import type { StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';
import {
  ALICE,
  allow,
  BOB,
  EVERYBODY,
  grant,
  nested,
  padded,
  putSetting,
} from '../wire/settings.js';

/** The existing list, which must stay after each invalid one. */
const KEPT = [grant(BOB, 'READ')];

/** The paths of the lists of a bucket and an object, which accept the same bodies. */
async function subjects(storage: StorageClient): Promise<string[]> {
  const bucket = await storage.newBucket();
  (await storage.put(`/${bucket}/key`, 'mine')).is(200);
  const paths = [`/${bucket}`, `/${bucket}/key`];
  for (const path of paths) await allow(storage, path, ...KEPT);
  return paths;
}

async function refuse(
  storage: StorageClient,
  path: string,
  bodies: readonly unknown[],
  code: string,
): Promise<void> {
  for (const body of bodies) {
    const answer = await putSetting(storage, path, 'acl', body);
    assert.equal(answer.status, 400, `${path} took ${JSON.stringify(body).slice(0, 200)}`);
    answer.fails(400, code);
  }
  const { accessControlList } = (await storage.get(`${path}?acl`)).is(200).json;
  assert.deepEqual(accessControlList, KEPT);
}

const listOf = (...accessControlList: readonly unknown[]) => ({ accessControlList });
const grantWith = (fields: object) => listOf({ ...grant(BOB, 'READ'), ...fields });

const MALFORMED = ['{', '{"accessControlList":[}', 'private', "{'a':1}", '\u0000', '{}{}', '[1,]'];

const WRONG = [
  ...['null', '1', '"private"', '{}', '{"accessControlList":null}', '{"accessControlList":{}}'],
  ...['{"accessControlList":"private"}', nested(10_000), `{"accessControlList":${nested(9_000)}}`],
  ...[1, 'a', null, [], {}].map((item) => listOf(item)),
  ...[undefined, null, [], {}, 'u-bob', ['u-bob'], [{}], [{ id: 1 }], [{ id: '' }]].map((grantee) =>
    grantWith({ grantee }),
  ),
  grantWith({ grantee: [{ id: BOB }, { name: 'bob' }] }),
  grantWith({ grantee: { id: BOB } }),
  ...[undefined, null, [], {}, 'READ', ['read'], ['Read'], ['READ '], [1], [['READ']]].map(
    (permission) => grantWith({ permission }),
  ),
  ...['READ_ACP', '*', 'GetObject', 'CREATE', '__proto__'].map((name) =>
    grantWith({ permission: ['READ', name] }),
  ),
  ...['allow', 'DENY', '', null, true, ['Deny']].map((effect) => grantWith({ effect })),
  ...['a/b', {}, null, [], [1], [null], [['a']]].flatMap((value) => [
    grantWith({ resource: value }),
    grantWith({ notResource: value }),
  ]),
  grantWith({ resource: ['a/**'] }),
  grantWith({ notResource: [`${'*a'.repeat(5000)}`] }),
];

export const cases: readonly HttpRule[] = [
  {
    id: 'acl-body-malformed',
    name: 'a list that is not JSON is 400 MalformedJSON, and the old list stays',
    async prove(storage) {
      for (const path of await subjects(storage)) {
        await refuse(storage, path, MALFORMED, 'MalformedJSON');
      }
    },
  },
  {
    id: 'acl-body-wrong',
    name: 'a list with the wrong structure is 400 InappropriateJSON, and the old list stays',
    async prove(storage) {
      for (const path of await subjects(storage)) {
        await refuse(storage, path, WRONG, 'InappropriateJSON');
      }
    },
  },
  {
    id: 'acl-body-object-permissions',
    name: 'the list of an object may contain only READ and FULL_CONTROL',
    async prove(storage) {
      const [, path = ''] = await subjects(storage);
      const bodies = ['LIST', 'WRITE', 'MODIFY'].map((name) => listOf(grant(BOB, 'READ', name)));
      await refuse(storage, path, bodies, 'InappropriateJSON');
    },
  },
  {
    id: 'acl-body-condition',
    name: 'a grant with a condition is rejected; an empty condition is ignored',
    async prove(storage) {
      for (const path of await subjects(storage)) {
        for (const condition of [
          { ipAddress: ['10.0.0.1'] },
          { ipAddress: [] },
          { currentTime: {}, referer: { stringLike: [] } },
        ]) {
          const answer = await putSetting(storage, path, 'acl', grantWith({ condition }));
          assert.ok(answer.status === 501 || answer.status === 400, `${answer.status}`);
        }
        const { accessControlList } = (await storage.get(`${path}?acl`)).is(200).json;
        assert.deepEqual(accessControlList, KEPT);
        for (const condition of [{}, null, { referer: {}, currentTime: {}, userAgent: {} }]) {
          (await putSetting(storage, path, 'acl', grantWith({ condition }))).is(200);
        }
      }
    },
  },
  {
    id: 'acl-body-nothing',
    name: 'neither a header nor a body, or both, is 400 MalformedJSON',
    async prove(storage) {
      for (const path of await subjects(storage)) {
        await refuse(storage, path, [''], 'MalformedJSON');
        (await storage.send({ method: 'PUT', path: `${path}?acl` })).fails(400, 'MalformedJSON');
        const empty = await storage.send({ method: 'PUT', path: `${path}?acl`, body: [] });
        empty.fails(400, 'MalformedJSON');
        const headers = { 'x-svc-acl': 'public-read' };
        const body = JSON.stringify(listOf(grant(BOB, 'READ')));
        const both = { method: 'PUT', path: `${path}?acl`, headers };
        (await storage.send({ ...both, body })).fails(400, 'MalformedJSON');
        (await storage.send({ ...both, body: [Buffer.from(body)] })).fails(400, 'MalformedJSON');
        const { accessControlList } = (await storage.get(`${path}?acl`)).is(200).json;
        assert.deepEqual(accessControlList, KEPT);
      }
    },
  },
  {
    id: 'acl-body-too-large',
    name: 'a list of 20 KB is accepted; one byte more is 400 MaxMessageLengthExceeded',
    async prove(storage) {
      for (const path of await subjects(storage)) {
        const over = padded(listOf(grant(EVERYBODY, 'READ')), 20_481);
        await refuse(storage, path, [over], 'MaxMessageLengthExceeded');
        const chunked = { method: 'PUT', path: `${path}?acl`, body: [Buffer.from(over)] };
        (await storage.send(chunked)).fails(400, 'MaxMessageLengthExceeded');
        const exact = padded(listOf(grant(ALICE, 'READ')), 20_480);
        (await putSetting(storage, path, 'acl', exact)).is(200);
        const { accessControlList } = (await storage.get(`${path}?acl`)).is(200).json;
        assert.deepEqual(accessControlList, [grant(ALICE, 'READ')]);
      }
    },
  },
  {
    id: 'acl-body-too-many',
    name: 'a list of 100 grants is accepted; 101 are 400 InvalidArgument',
    async prove(storage) {
      const grants = Array.from({ length: 101 }, (_, at) => grant(`u-${at}`, 'READ'));
      for (const path of await subjects(storage)) {
        await refuse(storage, path, [listOf(...grants)], 'InvalidArgument');
        await allow(storage, path, ...grants.slice(1));
        const { accessControlList } = (await storage.get(`${path}?acl`)).is(200).json;
        assert.deepEqual(accessControlList, grants.slice(1));
      }
    },
  },
  {
    id: 'acl-body-unknown-fields',
    name: 'unknown fields must be empty, whatever the Content-Type of the body',
    async prove(storage) {
      for (const path of await subjects(storage)) {
        const given = {
          ...grant(EVERYBODY, 'READ'),
          eid: 'x',
          ...{ note: '', filter: { tags: [] }, ttl: null },
          grantee: [{ id: '*', displayName: 'all', group: null }],
        };
        const body = JSON.stringify({ owner: { id: BOB }, resource: [], ...listOf(given) });
        for (const type of ['text/plain', 'application/octet-stream', 'application/xml']) {
          await allow(storage, path);
          const headers = { 'content-type': type };
          const answer = await storage.send({ method: 'PUT', path: `${path}?acl`, headers, body });
          answer.is(200);
          const { accessControlList } = (await storage.get(`${path}?acl`)).is(200).json;
          assert.deepEqual(accessControlList, [grant(EVERYBODY, 'READ')]);
        }
        await allow(storage, path, ...KEPT);
        const limited = { ...grant(EVERYBODY, 'READ'), validUntil: '2030-01-01T00:00:00Z' };
        const ofGroup = { ...grant(EVERYBODY, 'READ'), grantee: [{ id: '*', group: 'staff' }] };
        const disabled = { ...grant(EVERYBODY, 'READ'), enabled: false };
        const never = { ...grant(EVERYBODY, 'READ'), ttl: 0 };
        const all = listOf(grant(EVERYBODY, 'READ'));
        const bodies = [
          ...[limited, ofGroup, disabled, never].map((one) => listOf(one)),
          ...[
            { expires: '2030-01-01' },
            { resource: ['x/*'] },
            { dryRun: true },
            { enabled: false },
          ],
        ].map((body) => ({ ...all, ...body }));
        await refuse(storage, path, bodies, 'InappropriateJSON');
      }
    },
  },
];
