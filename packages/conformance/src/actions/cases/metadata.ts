import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import { textOf } from '../tools.js';

export const cases: readonly Case[] = [
  {
    id: 'metadata-round-trip',
    name: 'metadata of any name is stored, and returned with the name in lower case',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const metadata = { 'Some-Name': 'Some Value', '0._~!': '=', empty: '' };
      await alice.putObject(bucket, 'key', 'x', { metadata });
      for (const found of [
        await alice.getObject(bucket, 'key'),
        await alice.headObject(bucket, 'key'),
      ]) {
        const kept = traits.keepsEmptyMetadata ? { empty: '' } : {};
        const expected = { 'some-name': 'Some Value', '0._~!': '=', ...kept };
        assert.deepEqual(found.metadata, expected);
      }
    },
  },
  {
    id: 'metadata-none',
    name: 'metadata is returned only if there is user metadata',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      await alice.putObject(bucket, 'key', 'x');
      assert.deepEqual((await alice.getObject(bucket, 'key')).metadata, {});
    },
  },
  {
    id: 'metadata-limit',
    name: 'user metadata may have 2 KB in total, including names; more is MetadataTooLarge',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const put = (body: string, metadata: Readonly<Record<string, string>>) =>
        alice.putObject(bucket, 'key', body, { metadata });
      await put('fits', { one: 'a'.repeat(900), two: 'b'.repeat(1100) });
      assert.equal((await alice.headObject(bucket, 'key')).metadata.two?.length, 1100);
      await fails(put('no', { one: 'a'.repeat(900), two: 'b'.repeat(1200) }), 'MetadataTooLarge');
      const many = Array.from({ length: 256 }, (_, at) => [`name-${at}`, 'value']);
      await fails(put('no', Object.fromEntries(many)), 'MetadataTooLarge');
      assert.equal(await textOf(alice, bucket, 'key'), 'fits');
    },
  },
  {
    id: 'metadata-proto',
    name: 'metadata named __proto__ or constructor is treated like any other',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const names = ['__proto__', 'constructor', 'tostring', 'hasownproperty'];
      const given = names.map((name) => [name, `value of ${name}`]);
      await alice.putObject(bucket, 'key', 'x', { metadata: Object.fromEntries(given) });
      for (const found of [
        await alice.getObject(bucket, 'key'),
        await alice.headObject(bucket, 'key'),
      ]) {
        assert.deepEqual(Object.entries(found.metadata).sort(), given.toSorted());
      }
    },
  },
];
