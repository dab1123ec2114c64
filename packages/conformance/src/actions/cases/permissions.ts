import assert from 'node:assert/strict';
import type { Caller } from '../../http/server.js';
import type { Case, CaseContext } from '../case.js';
import { codeOf, Failure, fails, outcome } from '../failure.js';
import { absent, BOB, EVERYBODY, grant, part, textOf } from '../tools.js';
import type { Permission } from '../values.js';
import { ATTEMPTS, type Attempt, type Fixture } from './permission-attempts.js';

const GRANTED: readonly (readonly Permission[])[] = [
  ...([[], ['READ'], ['LIST'], ['WRITE'], ['MODIFY'], ['FULL_CONTROL']] as Permission[][]),
  ['READ', 'WRITE'],
  ['READ', 'MODIFY'],
];

/** The permissions that the canned lists grant to everyone. */
const CANNED: Readonly<Record<string, readonly Permission[]>> = {
  private: [],
  'public-read': ['READ'],
  'public-read-write': ['READ', 'WRITE'],
};

/** The code of the expected error, or `undefined` if the action is allowed. */
function refusal(
  { needs, modify }: Attempt,
  granted: readonly Permission[],
): 'AccessDenied' | 'OnlyAllowModify' | undefined {
  const has = (name: Permission) => granted.includes(name) || granted.includes('FULL_CONTROL');
  if (needs.every(has)) return undefined;
  const modifies = (name: Permission) => has(name) || (name === 'WRITE' && has('MODIFY'));
  if (modify === undefined || !needs.every(modifies)) return 'AccessDenied';
  return modify === 'only' ? 'OnlyAllowModify' : undefined;
}

/** Restores the bucket after an attempt that has changed it. */
async function prepare({ alice, traits }: CaseContext, bucket: string): Promise<void> {
  await alice.putObject(bucket, 'key', 'mine');
  if (traits.offers.has('append')) await alice.appendObject(bucket, 'log', 'log');
  await codeOf(alice.deleteObject(bucket, 'new'));
  await alice.deleteCors(bucket);
  await alice.deleteLifecycle(bucket);
}

/** Begins the upload that an attempt needs, if any. */
async function fixtureOf({ alice }: CaseContext, bucket: string, { uploads }: Attempt) {
  if (uploads === undefined) {
    const none = { bucket, key: 'key', uploadId: '' };
    return { bucket, upload: none, part: { number: 1, etag: '' } } satisfies Fixture;
  }
  const upload = await alice.initiateUpload(bucket, uploads);
  return { bucket, upload, part: await part(alice, upload, 1, 'other') } satisfies Fixture;
}

interface Round {
  readonly caller: Caller;
  readonly granted: readonly Permission[];
  readonly setting: string;
}

/** Makes an attempt. Resolves to whether it may have changed something. */
async function attempt(
  context: CaseContext,
  action: Attempt,
  bucket: string,
  { caller, granted, setting }: Round,
): Promise<boolean> {
  const fixture = await fixtureOf(context, bucket, action);
  const result = await outcome(action.run(context.as(caller), fixture));
  const refused = caller === 'alice' ? undefined : refusal(action, granted);
  const bare = result instanceof Failure && result.http.body.length === 0;
  const what = `${action.name} by ${caller} with ${setting}`;
  // HEAD returns only a status, which is 403 for every missing permission.
  const expected = refused ? (bare ? 'AccessDenied' : refused) : action.code?.(context.traits);
  const code = result instanceof Failure ? result.code : 'done';
  assert.equal(code, expected ?? 'done', what);
  if (refused === undefined || action.reads) return refused === undefined && !action.reads;
  assert.equal(await textOf(context.alice, bucket, 'key'), 'mine', what);
  await absent(context.alice, bucket, 'new');
  return false;
}

const matrix = ATTEMPTS.map((action): Case => {
  const { name, needs, capabilities = [] } = action;
  return {
    id: `permission-${name.replaceAll(' ', '-').toLowerCase()}`,
    name: `${name} needs ${needs.join(' and ')}; only the owner needs no grant`,
    needs: ['grant-rules', ...capabilities],
    async prove(context) {
      const { alice } = context;
      const bucket = await context.newBucket();
      let changed = true;
      const once = async (caller: Caller, granted: readonly Permission[], setting: string) => {
        if (changed) await prepare(context, bucket);
        changed = await attempt(context, action, bucket, { caller, granted, setting });
      };
      await once('alice', [], 'nothing set');
      for (const granted of GRANTED) {
        const setting = granted.join(' and ') || 'nothing';
        for (const [caller, id] of [
          ['bob', BOB],
          ['anonymous', EVERYBODY],
        ] as const) {
          await alice.putBucketAcl(bucket, granted.length > 0 ? [grant(id, ...granted)] : []);
          await once(caller, granted, `${setting} granted to ${id}`);
        }
      }
      await alice.putBucketAcl(bucket, [grant(BOB, 'FULL_CONTROL')]);
      await once('anonymous', [], 'all granted to bob');
      await alice.putBucketAcl(bucket, [grant(EVERYBODY, 'FULL_CONTROL')]);
      await once('bob', ['FULL_CONTROL'], 'all granted to everybody');
      for (const [canned, granted] of Object.entries(CANNED)) {
        for (const caller of ['bob', 'anonymous'] as const) {
          await alice.putBucketAcl(bucket, canned);
          await once(caller, granted, canned);
        }
      }
    },
  };
});

export const cases: readonly Case[] = [
  ...matrix,
  {
    id: 'permission-delete-objects',
    name: 'DeleteMultipleObjects needs WRITE on each object; MODIFY is not enough',
    needs: ['grant-rules'],
    async prove(context) {
      const { alice, traits } = context;
      const bucket = await context.newBucket();
      for (const granted of GRANTED) {
        const id = granted.length % 2 === 0 ? EVERYBODY : BOB;
        for (const caller of ['bob', 'anonymous'] as const) {
          await prepare(context, bucket);
          await alice.putBucketAcl(bucket, [grant(id, ...granted, 'LIST')]);
          const named = id === EVERYBODY || caller === 'bob';
          const may = named && (granted.includes('WRITE') || granted.includes('FULL_CONTROL'));
          const remove = context.as(caller).deleteObjects(bucket, ['key', 'new']);
          if (may) {
            const codes = (await remove).map(({ code }) => code);
            const expected = traits.removesAbsentKeys ? [] : ['NoSuchKey'];
            assert.deepEqual(codes, expected, `${caller} with ${granted} for ${id}`);
          } else await fails(remove, 'AccessDenied');
          const left = await codeOf(alice.headObject(bucket, 'key'));
          assert.equal(left, may ? 'NoSuchKey' : 'done');
        }
      }
    },
  },
  {
    id: 'permission-partly',
    name: 'a batch deletes what the caller may delete, and nothing else',
    needs: ['grant-rules'],
    async prove({ alice, bob, newBucket, traits }) {
      const bucket = await newBucket();
      for (const key of ['mine/a', 'free/a']) await alice.putObject(bucket, key, '');
      const free = { ...grant(BOB, 'WRITE'), resources: [`${bucket}/free/*`] };
      await alice.putBucketAcl(bucket, [free]);
      const keys = ['free/a', 'free/no', 'mine/a', 'mine/no'];
      const failures = await bob.deleteObjects(bucket, keys);
      const shown = failures.map(({ key, code }) => `${key} ${code}`).sort();
      const missing = traits.removesAbsentKeys ? [] : ['free/no NoSuchKey'];
      assert.deepEqual(shown, [...missing, 'mine/a AccessDenied', 'mine/no AccessDenied']);
      await absent(alice, bucket, 'free/a');
      await alice.headObject(bucket, 'mine/a');
    },
  },
  {
    id: 'permission-own-bucket',
    name: 'the owner has all permissions even with an empty list, and no Deny applies to them',
    needs: ['grant-rules'],
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putBucketAcl(bucket, []);
      await alice.putBucketAcl(bucket, [{ ...grant(EVERYBODY, 'FULL_CONTROL'), effect: 'Deny' }]);
      await alice.putObject(bucket, 'key', 'mine');
      await alice.putObjectAcl(bucket, 'key', [{ ...grant('u-alice', 'READ'), effect: 'Deny' }]);
      assert.equal(await textOf(alice, bucket, 'key'), 'mine');
      await alice.getBucketAcl(bucket);
      await alice.getObjectAcl(bucket, 'key');
    },
  },
];
