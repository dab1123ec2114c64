import assert from 'node:assert/strict';
import type { Case } from '../case.js';
import { fails } from '../failure.js';
import { assertHas, bodyOf, bytes, md5, uploadObject } from '../tools.js';

/** About 20 MB, more than fits into the buffers between a server and a client. */
const pieces = (least: number): Buffer[] =>
  Array.from({ length: 40 }, (_, at) => Buffer.alloc(Math.max(512_000, least), 65 + at));

/** Races: downloads that run while the object changes. */
export const cases: readonly Case[] = [
  {
    id: 'race-download-overwrite',
    name: 'a download during which the object is replaced gets all of the old data',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const parts = pieces(traits.minPartBytes);
      await uploadObject(alice, bucket, 'key', parts);
      const download = await alice.openObject(bucket, 'key');
      for (const body of ['new', Buffer.alloc(300_000, 'n'), '']) {
        await alice.putObject(bucket, 'key', body);
      }
      assert.ok((await download.read()).equals(Buffer.concat(parts)));
      assert.equal((await bodyOf(alice, bucket, 'key')).length, 0);
    },
  },
  {
    id: 'race-download-delete',
    name: 'a download during which the object is deleted gets all of its data',
    async prove({ alice, newBucket, traits }) {
      const bucket = await newBucket();
      const parts = pieces(traits.minPartBytes);
      await uploadObject(alice, bucket, 'key', parts);
      const download = await alice.openObject(bucket, 'key');
      await alice.deleteObject(bucket, 'key');
      await fails(alice.getObject(bucket, 'key'), 'NoSuchKey');
      assert.ok((await download.read()).equals(Buffer.concat(parts)));
    },
  },
  {
    id: 'race-download-append',
    name: 'a download during which the object grows gets exactly the announced bytes',
    needs: ['append'],
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const old = Buffer.alloc(8_000_000, 'o');
      await alice.appendObject(bucket, 'log', old);
      const download = await alice.openObject(bucket, 'log');
      const first = Buffer.alloc(200_000, 'n');
      await alice.appendObject(bucket, 'log', first, old.length);
      await alice.appendObject(bucket, 'log', Buffer.alloc(1_200_000, 'm'), old.length + 200_000);
      assertHas(download.description, { size: old.length, etag: md5(old) });
      assert.ok((await download.read()).equals(old));
    },
  },
  {
    id: 'cut-download',
    name: 'a download that the client breaks off affects neither the object nor the server',
    async prove({ alice, newBucket }) {
      const bucket = await newBucket();
      const data = bytes(3 * 1024 * 1024);
      await alice.putObject(bucket, 'key', data);
      for (let at = 0; at < 10; at++) (await alice.openObject(bucket, 'key')).cancel();
      assert.ok((await bodyOf(alice, bucket, 'key')).equals(data));
    },
  },
];
