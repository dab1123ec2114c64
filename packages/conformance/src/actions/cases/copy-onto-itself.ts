import assert from 'node:assert/strict';
import type { Case, CaseContext } from '../case.js';
import { fails } from '../failure.js';
import { assertHas, bytes, md5, uploadObject } from '../tools.js';
import type { CopyOptions } from '../values.js';

const REPLACE = { directive: 'replace' };

/** Creates a bucket, to copy its object `key` onto itself. */
async function begin({ alice, newBucket }: CaseContext) {
  const bucket = await newBucket();
  const copy = (options: CopyOptions) =>
    alice.copyObject({ bucket, key: 'key' }, bucket, 'key', options);
  return { bucket, copy };
}

/** CopyObject: how metadata is updated. */
export const cases: readonly Case[] = [
  {
    id: 'copy-itself',
    name: 'copying an object onto itself with replace updates its metadata and keeps its data',
    async prove(context) {
      const { alice } = context;
      const { bucket, copy } = await begin(context);
      for (const data of [Buffer.alloc(0), Buffer.from('small'), bytes(100_000)]) {
        const stored = { metadata: { a: '1' }, contentType: 'text/plain', cacheControl: 'x' };
        await alice.putObject(bucket, 'key', data, stored);
        const given = { metadata: { b: '2' }, contentType: 'image/png' };
        assert.equal((await copy({ ...REPLACE, ...given })).etag, md5(data));
        const found = await alice.getObject(bucket, 'key');
        assert.ok(found.body.equals(data));
        assertHas(found, {
          ...given,
          etag: md5(data),
          cacheControl: 'private, max-age=0, no-transform',
        });
      }
    },
  },
  {
    id: 'copy-itself-unchanged',
    name: 'copying an object onto itself without a change is 400 InvalidArgument',
    async prove(context) {
      const { alice } = context;
      const { bucket, copy } = await begin(context);
      await alice.putObject(bucket, 'key', 'x', { metadata: { a: '1' } });
      for (const options of [{}, { directive: 'copy', metadata: { a: '2' } }]) {
        await fails(copy(options), 'InvalidArgument');
      }
      assertHas(await alice.headObject(bucket, 'key'), { metadata: { a: '1' } });
      await copy({ storageClass: 'STANDARD_IA' });
      assertHas(await alice.headObject(bucket, 'key'), {
        storageClass: 'STANDARD_IA',
        metadata: { a: '1' },
      });
    },
  },
  {
    id: 'copy-itself-conditions',
    name: 'copying an object onto itself also requires that it exists and that the conditions hold',
    async prove(context) {
      const { alice } = context;
      const { bucket, copy } = await begin(context);
      await fails(copy(REPLACE), 'NoSuchKey');
      await alice.putObject(bucket, 'key', 'x');
      const given = { ...REPLACE, metadata: { a: '1' } };
      const refused = copy({ ...given, sourceConditions: { ifMatch: md5('y') } });
      await fails(refused, 'PreconditionFailed');
      assertHas(await alice.headObject(bucket, 'key'), { metadata: {} });
      await copy({ ...given, sourceConditions: { ifMatch: md5('x') } });
      assertHas(await alice.headObject(bucket, 'key'), { metadata: { a: '1' } });
    },
  },
  {
    id: 'copy-itself-multipart',
    name: 'an object of several parts keeps its data and ETag when its metadata is updated',
    async prove(context) {
      const { alice } = context;
      const { minPartBytes } = context.traits;
      const { bucket, copy } = await begin(context);
      const bodies = [bytes(minPartBytes), bytes(minPartBytes), Buffer.from('x')];
      const { etag } = await uploadObject(alice, bucket, 'key', bodies);
      await copy({ ...REPLACE, metadata: { a: '1' } });
      const found = await alice.getObject(bucket, 'key');
      assert.ok(found.body.equals(Buffer.concat(bodies)));
      assertHas(found, { etag, metadata: { a: '1' } });
    },
  },
  {
    id: 'copy-itself-appendable',
    name: 'an appendable object copied onto itself with replace stays appendable',
    needs: ['append'],
    async prove(context) {
      const { alice } = context;
      const { bucket, copy } = await begin(context);
      await alice.appendObject(bucket, 'key', 'one', undefined, { metadata: { a: '1' } });
      await copy({ ...REPLACE, metadata: { b: '2' } });
      assertHas(await alice.headObject(bucket, 'key'), { appendOffset: 3 });
      const { etag } = await alice.appendObject(bucket, 'key', 'two', 3);
      assert.equal(etag, md5('onetwo'));
      assertHas(await alice.getObject(bucket, 'key'), { text: 'onetwo', metadata: { b: '2' } });
    },
  },
];
