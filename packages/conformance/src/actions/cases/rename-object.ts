import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import {
  absent,
  assertHas,
  bodyOf,
  bytes,
  md5,
  textOf,
  unauthorizedClients,
  uploadObject,
} from '../tools.js';

const NEEDS = ['rename'] as const;
const APPENDS = ['rename', 'append'] as const;

export const cases: readonly Case[] = [
  {
    id: 'rename-object',
    name: 'RenameObject returns 200 without a body, and the object has only the new key',
    needs: NEEDS,
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const data of [Buffer.alloc(0), Buffer.from('small'), bytes(100_000)]) {
        await alice.putObject(bucket, 'old', data);
        await alice.renameObject(bucket, 'old', 'new');
        await absent(alice, bucket, 'old');
        assert.ok((await bodyOf(alice, bucket, 'new')).equals(data));
        assert.deepEqual((await alice.listObjects(bucket)).keys, ['new']);
      }
    },
  },
  {
    id: 'rename-any-key',
    name: 'an object of any key can be renamed',
    needs: NEEDS,
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      for (const key of ['a/b c', '你好', '100%', 'what?', 'a+b', '/x', '..', '😀'.repeat(255)]) {
        await alice.putObject(bucket, key, key);
        await alice.renameObject(bucket, key, 'new');
        assert.equal(await textOf(alice, bucket, 'new'), key);
        await absent(alice, bucket, key);
      }
    },
  },
  {
    id: 'rename-keeps',
    name: 'the object keeps its metadata, headers, ETag, storage class and time',
    needs: NEEDS,
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const stored = {
        metadata: { a: '1' },
        contentType: 'image/png',
        cacheControl: 'private',
        storageClass: 'STANDARD_IA',
      };
      await alice.putObject(bucket, 'old', 'x', stored);
      const { http: _, ...before } = await alice.headObject(bucket, 'old');
      const other = { contentType: 'text/plain', metadata: { a: '2' } };
      await fails(alice.renameObject(bucket, 'old', 'new', other), 'InvalidArgument');
      await alice.renameObject(bucket, 'old', 'new', { contentType: 'text/plain' });
      const { http: __, ...after } = await alice.headObject(bucket, 'new');
      assert.deepEqual(after, before);
      assertHas(after, stored);
    },
  },
  {
    id: 'rename-overwrites',
    name: 'an existing object with the new key is replaced',
    needs: APPENDS,
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'old', 'old');
      await alice.appendObject(bucket, 'new', bytes(70_000));
      await alice.renameObject(bucket, 'old', 'new');
      assertHas(await alice.getObject(bucket, 'new'), { text: 'old', appendOffset: undefined });
      assert.deepEqual((await alice.listObjects(bucket)).keys, ['new']);
    },
  },
  {
    id: 'rename-itself',
    name: 'renaming an object to its own key changes nothing',
    needs: NEEDS,
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await fails(alice.renameObject(bucket, 'key', 'key'), 'NoSuchKey');
      await alice.putObject(bucket, 'key', bytes(70_000), { metadata: { a: '1' } });
      await alice.renameObject(bucket, 'key', 'key');
      const found = await alice.getObject(bucket, 'key');
      assert.ok(found.body.equals(bytes(70_000)));
      assertHas(found, { metadata: { a: '1' } });
    },
  },
  {
    id: 'rename-missing',
    name: 'a source that does not exist is 404 NoSuchKey, and the target stays unchanged',
    needs: NEEDS,
    async prove({ alice, newBucket, newName }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'new', 'stays');
      for (const key of ['missing', `${bucket}/new`, `/${bucket}/new`]) {
        await fails(alice.renameObject(bucket, key, 'new'), 'NoSuchKey', key);
      }
      assert.equal(await textOf(alice, bucket, 'new'), 'stays');
      await fails(alice.renameObject(newName(), 'x', 'new'), 'NoSuchBucket');
    },
  },
  {
    id: 'rename-multipart',
    name: 'an object of several parts is renamed as a whole',
    needs: NEEDS,
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const bodies = Array.from({ length: 70 }, (_, at) => Buffer.alloc(traits.minPartBytes, at));
      const { etag } = await uploadObject(alice, bucket, 'old', bodies);
      await alice.renameObject(bucket, 'old', 'new');
      const found = await alice.getObject(bucket, 'new');
      assert.equal(found.etag, etag);
      assert.ok(found.body.equals(Buffer.concat(bodies)));
    },
  },
  {
    id: 'rename-appendable',
    name: 'a renamed appendable object stays appendable, with the same offset',
    needs: APPENDS,
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.appendObject(bucket, 'old', 'one');
      await alice.renameObject(bucket, 'old', 'new');
      assertHas(await alice.headObject(bucket, 'new'), { appendOffset: 3 });
      await fails(alice.appendObject(bucket, 'old', 'x', 3), 'NoSuchKey');
      assert.equal((await alice.appendObject(bucket, 'new', 'two', 3)).etag, md5('onetwo'));
      assert.equal(await textOf(alice, bucket, 'new'), 'onetwo');
    },
  },
  {
    id: 'rename-access',
    name: 'RenameObject by another user or an anonymous caller is 403 and changes nothing',
    needs: NEEDS,
    async prove(context) {
      const { alice } = context;
      const bucket = await context.newBucket();
      await alice.putObject(bucket, 'old', 'x');
      for (const client of unauthorizedClients(context)) {
        await fails(client.renameObject(bucket, 'old', 'new'), 'AccessDenied');
      }
      await absent(alice, bucket, 'new');
      assert.equal(await textOf(alice, bucket, 'old'), 'x');
    },
  },
];
