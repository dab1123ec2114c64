import assert from 'node:assert/strict';
import type { Caller, StorageClient } from '../wire/client.js';
import type { HttpRule } from '../wire/rule.js';
import { allow, BOB, EVERYBODY, grant, putSetting } from '../wire/settings.js';

const KEYS = ['a', 'a/b', 'a/b.txt', 'b', 'b*c', 'c/a'];

/** Which of the keys a caller may read. */
async function readable(storage: StorageClient, bucket: string, as: Caller): Promise<string[]> {
  const found: string[] = [];
  for (const key of KEYS) {
    const { status } = await storage.send({ method: 'HEAD', path: `/${bucket}/${key}`, as });
    assert.ok(status === 200 || status === 403, `${key} was answered ${status}`);
    if (status === 200) found.push(key);
  }
  return found;
}

async function filled(storage: StorageClient): Promise<string> {
  const bucket = await storage.newBucket();
  await storage.fill(bucket, KEYS);
  return bucket;
}

const status = async (storage: StorageClient, method: string, path: string, as: Caller = 'bob') =>
  (await storage.send({ method, path, as })).status;

export const cases: readonly HttpRule[] = [
  {
    id: 'grant-resource',
    name: 'a grant with resources is about what they name: a whole name, or a prefix before *',
    async prove(storage) {
      const bucket = await filled(storage);
      const rows: readonly (readonly [string[], string[]])[] = [
        [[`${bucket}/*`], KEYS],
        [[`${bucket}/a`], ['a']],
        [[`${bucket}/a*`], ['a', 'a/b', 'a/b.txt']],
        [[`${bucket}/a/*`], ['a/b', 'a/b.txt']],
        [[`${bucket}/*.txt`], ['a/b.txt']],
        [[`${bucket}/a*t`], ['a/b.txt']],
        [[`${bucket}/b*c`], ['b*c']],
        [
          [`${bucket}/c/*`, `${bucket}/b`],
          ['b', 'c/a'],
        ],
        [[`${bucket}/A`], []],
      ];
      for (const [resource, expected] of rows) {
        await allow(storage, `/${bucket}`, { ...grant(BOB, 'READ'), resource });
        assert.deepEqual(await readable(storage, bucket, 'bob'), expected, resource.join());
        assert.deepEqual(await readable(storage, bucket, 'anonymous'), []);
      }
      for (const path of [bucket, 'other/*', 'a*', '*', `/${bucket}/*`]) {
        const accessControlList = [{ ...grant(BOB, 'READ'), resource: [`${bucket}/a`, path] }];
        const answer = await putSetting(storage, `/${bucket}`, 'acl', { accessControlList });
        answer.fails(400, 'InvalidArgument');
      }
    },
  },
  {
    id: 'grant-not-resource',
    name: 'a grant with notResource is about everything else',
    async prove(storage) {
      const bucket = await filled(storage);
      const rows: readonly (readonly [object, string[]])[] = [
        [{ notResource: [`${bucket}/a*`] }, ['b', 'b*c', 'c/a']],
        [{ notResource: [`${bucket}/*`] }, []],
        [{ resource: [`${bucket}/a*`], notResource: [`${bucket}/*.txt`] }, ['a', 'a/b']],
      ];
      for (const [fields, expected] of rows) {
        await allow(storage, `/${bucket}`, { ...grant(EVERYBODY, 'READ'), ...fields });
        assert.deepEqual(await readable(storage, bucket, 'anonymous'), expected);
      }
    },
  },
  {
    id: 'grant-deny',
    name: 'a Deny wins over every Allow, wherever it stands and whoever else it names',
    async prove(storage) {
      const bucket = await filled(storage);
      const all = grant(EVERYBODY, 'READ');
      const deny = (fields: object) => ({ ...grant(BOB, 'READ'), effect: 'Deny', ...fields });
      const lists: readonly (readonly [object[], string[], string[]])[] = [
        [[all, deny({})], [], KEYS],
        [[deny({}), all], [], KEYS],
        [[all, deny({ grantee: [{ id: 'u-x' }, { id: BOB }] })], [], KEYS],
        [[all, deny({ permission: ['FULL_CONTROL'] })], [], KEYS],
        [[all, deny({ permission: ['WRITE'] })], KEYS, KEYS],
        [[all, deny({ resource: [`${bucket}/a*`] })], ['b', 'b*c', 'c/a'], KEYS],
        [[all, deny({ notResource: [`${bucket}/a`] })], ['a'], KEYS],
        [[all, deny({ grantee: [{ id: EVERYBODY }] })], [], []],
        [[deny({ grantee: [{ id: 'u-x' }] })], [], []],
        [[grant(BOB, 'FULL_CONTROL'), deny({})], [], []],
      ];
      for (const [list, bob, anonymous] of lists) {
        await allow(storage, `/${bucket}`, ...list);
        const what = JSON.stringify(list);
        assert.deepEqual(await readable(storage, bucket, 'bob'), bob, what);
        assert.deepEqual(await readable(storage, bucket, 'anonymous'), anonymous, what);
      }
    },
  },
  {
    id: 'grant-deny-write',
    name: 'a Deny of WRITE denies overwriting too, whatever MODIFY or FULL_CONTROL would allow',
    async prove(storage) {
      const bucket = await filled(storage);
      const deny = { ...grant(BOB, 'WRITE'), effect: 'Deny' };
      for (const name of ['WRITE', 'MODIFY', 'FULL_CONTROL']) {
        await allow(storage, `/${bucket}`, grant(BOB, name), deny);
        assert.equal(await status(storage, 'PUT', `/${bucket}/a`), 403, `PUT with ${name}`);
        assert.equal(await status(storage, 'PUT', `/${bucket}/new`), 403);
        assert.equal(await status(storage, 'DELETE', `/${bucket}/a`), 403, `DELETE with ${name}`);
      }
    },
  },
  {
    id: 'grant-deny-on-object',
    name: 'a Deny in the list of an object wins over FULL_CONTROL in it',
    async prove(storage) {
      const bucket = await filled(storage);
      const deny = { ...grant(BOB, 'READ'), effect: 'Deny' };
      await allow(storage, `/${bucket}/a`, grant(BOB, 'FULL_CONTROL'), deny);
      assert.equal(await status(storage, 'GET', `/${bucket}/a`), 403);
      await allow(storage, `/${bucket}/a`, deny, grant(EVERYBODY, 'READ'));
      assert.equal(await status(storage, 'GET', `/${bucket}/a`), 403);
      assert.equal(await status(storage, 'GET', `/${bucket}/a`, 'anonymous'), 200);
    },
  },
  {
    id: 'grant-for-prefix-is-no-listing',
    name: 'a grant for a prefix opens neither the bucket nor its listing',
    async prove(storage) {
      const bucket = await filled(storage);
      const fields = { resource: [`${bucket}/a*`] };
      await allow(storage, `/${bucket}`, { ...grant(BOB, 'FULL_CONTROL'), ...fields });
      assert.equal(await status(storage, 'GET', `/${bucket}/a`), 200);
      for (const [method, path] of [
        ['HEAD', `/${bucket}`],
        ['GET', `/${bucket}`],
        ['GET', `/${bucket}?prefix=a`],
        ['GET', `/${bucket}?acl`],
        ['DELETE', `/${bucket}`],
        ['GET', `/${bucket}/b`],
      ] as const) {
        assert.equal(await status(storage, method, path), 403, `${method} ${path}`);
      }
    },
  },
  {
    id: 'grant-rename-reads',
    name: 'a rename needs READ on the old name: nobody moves what is hidden to where they may read',
    async prove(storage) {
      const bucket = await filled(storage);
      const readable = { ...grant(BOB, 'READ'), resource: [`${bucket}/a*`] };
      await allow(storage, `/${bucket}`, grant(BOB, 'WRITE'), readable);
      const send = (from: string, to: string) => {
        const headers = { 'x-svc-rename-key': from };
        return storage.send({ method: 'POST', path: `/${bucket}/${to}`, as: 'bob', headers });
      };
      (await send('b', 'a-b')).fails(403, 'AccessDenied');
      (await storage.head(`/${bucket}/b`)).is(200);
      (await send('a', 'a-b')).is(200);
    },
  },
  {
    id: 'grant-hides',
    name: 'who may not read a key cannot tell whether there is an object',
    async prove(storage) {
      const bucket = await filled(storage);
      await allow(storage, `/${bucket}`, { ...grant(BOB, 'READ'), resource: [`${bucket}/b*`] });
      for (const as of ['bob', 'anonymous'] as const) {
        for (const [method, query] of [
          ['GET', ''],
          ['HEAD', ''],
          ['GET', '?acl'],
          ['DELETE', ''],
          ['DELETE', '?acl'],
          ['GET', '?uploadId=0123456789abcdef0123456789abcdef'],
        ] as const) {
          const seen: string[] = [];
          for (const key of ['a', 'absent']) {
            const headers = { range: 'bytes=9-', ...(query === '' && { 'if-match': '"x"' }) };
            const path = `/${bucket}/${key}${query}`;
            const answer = await storage.send({ method, path, as, headers });
            const { requestId: _, ...told } = method === 'HEAD' ? {} : answer.json;
            const names = answer.rawHeaders.filter((__, at) => at % 2 === 0);
            seen.push(JSON.stringify([answer.status, told, names]));
          }
          assert.equal(seen[0], seen[1]);
          assert.match(seen[0] ?? '', /^\[403,/);
        }
      }
      assert.equal(await status(storage, 'GET', `/${bucket}/b-absent`), 404);
    },
  },
  {
    id: 'grant-hides-sources',
    name: 'who may not read a source of a copy cannot tell whether it exists',
    async prove(storage) {
      const bucket = await filled(storage);
      const own = storage.newName();
      (await storage.send({ method: 'PUT', path: `/${own}`, as: 'bob' })).is(200);
      const code = async (key: string, headers: object = {}) => {
        const source = { 'x-svc-copy-source': `/${bucket}/${key}`, ...headers };
        const path = `/${own}/copy`;
        const answer = await storage.send({ method: 'PUT', path, as: 'bob', headers: source });
        return `${answer.status} ${answer.json.code} ${answer.json.message}`;
      };
      const etag = { 'x-svc-copy-source-if-match': 'x' };
      for (const headers of [{}, etag])
        assert.equal(await code('a', headers), await code('x', headers));
      assert.match(await code('a'), /^403 AccessDenied/);
      await allow(storage, `/${bucket}`, grant(BOB, 'READ'));
      assert.match(await code('x'), /^404 NoSuchKey/);
    },
  },
];
