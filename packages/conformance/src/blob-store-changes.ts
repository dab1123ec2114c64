import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { BlobNotFoundError, type BlobStore } from '@bucketware/core/contracts';
import {
  appendTo,
  assertSame,
  inPieces,
  listAll,
  newId,
  readAll,
  readText,
  shareOrCopy,
  writeNew,
} from './blob-tools.js';
import type { DriverRule } from './driver-suite.js';

const text = (value: string) => inPieces(Buffer.from(value), 3);

export const changeCases: readonly DriverRule<BlobStore>[] = [
  {
    id: 'blobs-append-absent',
    appends: false,
    name: 'a store whose blobs cannot grow has no append method',
    async prove(store) {
      assert.equal(store.append, undefined);
    },
  },
  {
    id: 'blobs-append-grows',
    appends: true,
    name: 'append adds bytes at the end, repeatedly',
    async prove(store) {
      const parts = [randomBytes(10), randomBytes(300_000), randomBytes(1), randomBytes(65_536)];
      const id = await writeNew(store, '');
      let size = 0;
      for (const part of parts) {
        const appended = await appendTo(store, id, size, inPieces(part, 70_000));
        size += part.length;
        assert.deepEqual(appended, { size });
      }
      assertSame(await readAll(store, id, 0, size), Buffer.concat(parts));
    },
  },
  {
    id: 'blobs-append-cuts',
    appends: true,
    name: 'append truncates data after its new end',
    async prove(store) {
      const id = await writeNew(store, 'committed, and a torn rest');
      assert.deepEqual(await appendTo(store, id, 9, text('!')), { size: 10 });
      assert.equal(await readText(store, id, 10), 'committed!');
      assert.deepEqual(await appendTo(store, id, 3, text('')), { size: 3 });
      assert.equal((await listAll(store)).get(id), 3);
      await assert.rejects(readText(store, id, 4));
    },
  },
  {
    id: 'blobs-append-gap',
    appends: true,
    name: 'append rejects a position after the end, so no blob has holes',
    async prove(store) {
      const id = await writeNew(store, 'four');
      await assert.rejects(appendTo(store, id, 5, text('x')));
      assert.equal((await listAll(store)).get(id), 4);
    },
  },
  {
    id: 'blobs-append-open-streams',
    appends: true,
    name: 'append does not affect the ranges of streams that were opened before',
    async prove(store) {
      const bytes = randomBytes(600_000);
      const id = await writeNew(store, bytes);
      const stream = await store.read(id, { start: 0, end: 500_000 });
      await appendTo(store, id, 500_000, text('another end'));
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      assertSame(Buffer.concat(chunks), bytes.subarray(0, 500_000));
    },
  },
  {
    id: 'blobs-share-independent',
    name: 'share creates an independent blob: either one outlives the other',
    async prove(store) {
      const first = await writeNew(store, 'the same bytes');
      const [second, third] = [newId(), newId()];
      await shareOrCopy(store, first, second);
      await shareOrCopy(store, second, third);
      assert.equal((await listAll(store)).size, 3);
      await store.remove(first);
      assert.equal(await readText(store, second, 14), 'the same bytes');
      await store.remove(third);
      assert.equal(await readText(store, second, 14), 'the same bytes');
      assert.deepEqual([...(await listAll(store))], [[second, 14]]);
    },
  },
  {
    id: 'blobs-share-append',
    appends: true,
    name: 'append to a shared blob leaves the other one unchanged',
    async prove(store) {
      const first = await writeNew(store, 'shared');
      const second = newId();
      await shareOrCopy(store, first, second);
      assert.deepEqual(await appendTo(store, first, 6, text(' and grown')), { size: 16 });
      assert.equal(await readText(store, second, 6), 'shared');
      assert.equal(await readText(store, first, 16), 'shared and grown');
      const third = newId();
      await shareOrCopy(store, first, third);
      await store.remove(first);
      assert.equal(await readText(store, second, 6), 'shared');
      assert.equal(await readText(store, third, 16), 'shared and grown');
    },
  },
  {
    id: 'blobs-remove',
    name: 'remove deletes a blob, and succeeds for an absent one',
    async prove(store) {
      const [gone, kept] = [await writeNew(store, 'gone'), await writeNew(store, 'kept')];
      await store.remove(gone);
      await store.remove(gone);
      await store.remove(newId());
      await assert.rejects(store.read(gone, { start: 0, end: 1 }), BlobNotFoundError);
      assert.deepEqual([...(await listAll(store))], [[kept, 4]]);
    },
  },
  {
    id: 'blobs-remove-unfinished',
    name: 'remove deletes what a failed write left',
    async prove(store) {
      const id = newId();
      const failure = new Error('the client went away');
      const source = async function* () {
        yield randomBytes(200_000);
        throw failure;
      };
      await assert.rejects(store.write(id, source()), (error) => error === failure);
      await store.remove(id);
      await assert.rejects(store.read(id, { start: 0, end: 0 }), BlobNotFoundError);
      assert.equal((await listAll(store)).size, 0);
    },
  },
  {
    id: 'blobs-list-ids',
    name: 'list yields only ids, even during a write and after a failed one',
    async prove(store) {
      const kept = await writeNew(store, 'kept');
      const partial = newId();
      const listed: string[] = [];
      const source = async function* () {
        yield randomBytes(200_000);
        listed.push(...(await listAll(store)).keys());
        throw new Error('the client went away');
      };
      await assert.rejects(store.write(partial, source()));
      listed.push(...(await listAll(store)).keys());
      assert.deepEqual(
        listed.filter((id) => id !== partial),
        [kept, kept],
      );
    },
  },
  {
    id: 'blobs-list',
    name: 'list yields every blob once with its size, even while blobs are removed',
    async prove(store) {
      const expected = new Map<string, number>();
      for (let size = 0; size < 300; size++) {
        expected.set(await writeNew(store, Buffer.alloc(size)), size);
      }
      const seen: string[] = [];
      for await (const { id, size } of store.list()) {
        assert.equal(expected.get(id), size);
        seen.push(id);
      }
      assert.equal(seen.length, expected.size);
      assert.equal(new Set(seen).size, expected.size);
      for await (const { id } of store.list()) {
        await store.remove(id);
        for (const other of expected.keys()) if (other[0] === id[0]) await store.remove(other);
      }
      assert.equal((await listAll(store)).size, 0);
    },
  },
];
