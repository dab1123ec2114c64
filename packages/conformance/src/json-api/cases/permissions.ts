import assert from 'node:assert/strict';
import type { Caller, StorageClient } from '../wire/client.js';
import { append } from '../wire/multipart.js';
import type { HttpRule } from '../wire/rule.js';
import { allow, BOB, EVERYBODY, grant, putAclHeaders, putSetting } from '../wire/settings.js';
import { GUARDED, type GuardedOperation, type GuardedRequest } from './permission-operations.js';

const GRANTED: readonly (readonly string[])[] = [
  ...[[], ['READ'], ['LIST'], ['WRITE'], ['MODIFY'], ['FULL_CONTROL']],
  ...[
    ['READ', 'WRITE'],
    ['READ', 'MODIFY'],
  ],
];

/** What the canned lists grant to everybody. */
const CANNED: Readonly<Record<string, readonly string[]>> = {
  private: [],
  'public-read': ['READ'],
  'public-read-write': ['READ', 'WRITE'],
};

/** The code of the refusal, or undefined when the caller is let in. */
function refusal(
  { needs, modify }: GuardedOperation,
  granted: readonly string[],
): 'AccessDenied' | 'OnlyAllowModify' | undefined {
  const has = (name: string) => granted.includes(name) || granted.includes('FULL_CONTROL');
  if (needs.every(has)) return undefined;
  const modifies = (name: string) => has(name) || (name === 'WRITE' && has('MODIFY'));
  if (modify === undefined || !needs.every(modifies)) return 'AccessDenied';
  return modify === 'only' ? 'OnlyAllowModify' : undefined;
}

/** The bucket as every attempt finds it, when the one before has changed something. */
async function prepare(storage: StorageClient, bucket: string): Promise<void> {
  (await storage.put(`/${bucket}/key`, 'mine')).is(200);
  (await append(storage, `/${bucket}/log`, 'log')).is(200);
  for (const path of [`/${bucket}/new`, `/${bucket}?cors`, `/${bucket}?lifecycle`]) {
    await storage.delete(path);
  }
}

/** Resolves to whether the operation may have changed something. */
async function attempt(
  storage: StorageClient,
  operation: GuardedOperation,
  bucket: string,
  { as, granted, told }: { as: Caller; granted: readonly string[]; told: string },
): Promise<boolean> {
  const { path, ...rest }: GuardedRequest = await operation.request(storage, bucket);
  const answer = await storage.send({ ...rest, path: `/${bucket}${path}`, as });
  const code = as === 'alice' ? undefined : refusal(operation, granted);
  const what = `${operation.name} by ${as} with ${told}: ${answer.status} ${answer.text}`;
  assert.equal(answer.status, code === undefined ? operation.status : 403, what);
  const reads = rest.method === 'GET' || rest.method === 'HEAD';
  if (code === undefined) return !reads;
  if (rest.method === 'HEAD') answer.failsBare(403);
  else answer.fails(403, code);
  if (reads) return false;
  assert.equal((await storage.get(`/${bucket}/key`)).is(200).text, 'mine', what);
  (await storage.head(`/${bucket}/new`)).failsBare(404);
  return false;
}

const matrix = GUARDED.map((operation): HttpRule => {
  const { name, needs } = operation;
  return {
    id: `permission-${name.replaceAll(' ', '-').toLowerCase()}`,
    name: `${name} needs ${needs.join(' and ')}; only the owner needs no grant`,
    async prove(storage) {
      const bucket = await storage.newBucket();
      const path = `/${bucket}`;
      let changed = true;
      const once = async (as: Caller, granted: readonly string[], told: string) => {
        if (changed) await prepare(storage, bucket);
        changed = await attempt(storage, operation, bucket, { as, granted, told });
      };
      await once('alice', [], 'nothing set');
      for (const granted of GRANTED) {
        const told = granted.join(' and ') || 'nothing';
        for (const [as, id] of [
          ['bob', BOB],
          ['anonymous', EVERYBODY],
        ] as const) {
          await allow(storage, path, ...(granted.length > 0 ? [grant(id, ...granted)] : []));
          await once(as, granted, `${told} granted to ${id}`);
        }
      }
      await allow(storage, path, grant(BOB, 'FULL_CONTROL'));
      await once('anonymous', [], 'all granted to bob');
      await allow(storage, path, grant(EVERYBODY, 'FULL_CONTROL'));
      await once('bob', ['FULL_CONTROL'], 'all granted to everybody');
      for (const [canned, granted] of Object.entries(CANNED)) {
        for (const as of ['bob', 'anonymous'] as const) {
          (await putAclHeaders(storage, path, { 'x-svc-acl': canned })).is(200);
          await once(as, granted, canned);
        }
      }
    },
  };
});

export const cases: readonly HttpRule[] = [
  ...matrix,
  {
    id: 'permission-delete-objects',
    name: 'DeleteMultipleObjects needs WRITE on each object; MODIFY deletes nothing',
    async prove(storage) {
      const bucket = await storage.newBucket();
      const body = JSON.stringify({ objects: [{ key: 'key' }, { key: 'new' }] });
      const attempts = ['bob', 'anonymous'] as const;
      for (const granted of GRANTED) {
        const id = granted.length % 2 === 0 ? EVERYBODY : BOB;
        for (const as of attempts) {
          await prepare(storage, bucket);
          await allow(storage, `/${bucket}`, grant(id, ...granted, 'LIST'));
          const answer = await storage.send({
            method: 'POST',
            path: `/${bucket}?delete`,
            as,
            body,
          });
          const named = id === EVERYBODY || as === 'bob';
          const may = named && (granted.includes('WRITE') || granted.includes('FULL_CONTROL'));
          if (may) {
            const codes = answer.is(200).json.errors.map(({ code }: { code: string }) => code);
            assert.deepEqual(codes, ['NoSuchKey'], `${as} with ${granted} for ${id}`);
          } else answer.fails(403, 'AccessDenied');
          (await storage.head(`/${bucket}/key`)).is(may ? 404 : 200);
        }
      }
    },
  },
  {
    id: 'permission-partly',
    name: 'a batch deletes what the caller may delete, and nothing else',
    async prove(storage) {
      const bucket = await storage.newBucket();
      for (const key of ['mine/a', 'free/a']) (await storage.put(`/${bucket}/${key}`)).is(200);
      await allow(storage, `/${bucket}`, {
        ...grant(BOB, 'WRITE'),
        resource: [`${bucket}/free/*`],
      });
      const keys = ['free/a', 'free/no', 'mine/a', 'mine/no'];
      const body = JSON.stringify({ objects: keys.map((key) => ({ key })) });
      const path = `/${bucket}?delete`;
      const { errors } = (await storage.send({ method: 'POST', path, as: 'bob', body })).is(
        200,
      ).json;
      const told = errors.map(({ key, code }: Record<string, string>) => `${key} ${code}`);
      const denied = ['mine/a AccessDenied', 'mine/no AccessDenied'];
      assert.deepEqual(told.sort(), ['free/no NoSuchKey', ...denied]);
      (await storage.head(`/${bucket}/free/a`)).failsBare(404);
      (await storage.head(`/${bucket}/mine/a`)).is(200);
    },
  },
  {
    id: 'permission-own-bucket',
    name: 'a list that names nobody leaves the owner everything, and a Deny does not concern them',
    async prove(storage) {
      const bucket = await storage.newBucket();
      await allow(storage, `/${bucket}`);
      await allow(storage, `/${bucket}`, { ...grant(EVERYBODY, 'FULL_CONTROL'), effect: 'Deny' });
      (await storage.put(`/${bucket}/key`, 'mine')).is(200);
      const acl = { accessControlList: [{ ...grant('u-alice', 'READ'), effect: 'Deny' }] };
      (await putSetting(storage, `/${bucket}/key`, 'acl', acl)).is(200);
      assert.equal((await storage.get(`/${bucket}/key`)).is(200).text, 'mine');
      (await storage.get(`/${bucket}?acl`)).is(200);
      (await storage.get(`/${bucket}/key?acl`)).is(200);
    },
  },
];
