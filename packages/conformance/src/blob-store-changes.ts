import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { BlobStoreRule } from './blob-store.js';
import { inPieces, listAll, newId, readAll, readText, writeNew } from './blob-tools.js';

const text = (value: string) => inPieces(Buffer.from(value), 3);

export const changeCases: readonly BlobStoreRule[] = [
  {
    id: 'blobs-append-grows',
    name: 'append writes behind the end, again and again',
    async prove(store) {
      const parts = [randomBytes(10), randomBytes(300_000), randomBytes(1), randomBytes(65_536)];
      const id = await writeNew(store, '');
      let size = 0;
      for (const part of parts) {
        const appended = await store.append(id, size, inPieces(part, 70_000));
        size += part.length;
        assert.deepEqual(appended, { size });
      }
      assert.ok((await readAll(store, id, 0, size)).equals(Buffer.concat(parts)));
    },
  },
  {
    id: 'blobs-append-cuts',
    name: 'append cuts off what lay behind its new end',
    async prove(store) {
      const id = await writeNew(store, 'committed, and a torn rest');
      assert.deepEqual(await store.append(id, 9, text('!')), { size: 10 });
      assert.equal(await readText(store, id, 10), 'committed!');
      assert.deepEqual(await store.append(id, 3, text('')), { size: 3 });
      assert.equal((await listAll(store)).get(id), 3);
      await assert.rejects(readText(store, id, 4));
    },
  },
  {
    id: 'blobs-append-gap',
    name: 'append refuses a position behind the end, so no blob has holes',
    async prove(store) {
      const id = await writeNew(store, 'four');
      await assert.rejects(store.append(id, 5, text('x')));
      assert.equal((await listAll(store)).get(id), 4);
    },
  },
  {
    id: 'blobs-append-open-streams',
    name: 'a stream that was opened before an append still gives its own range',
    async prove(store) {
      const bytes = randomBytes(600_000);
      const id = await writeNew(store, bytes);
      const stream = await store.read(id, { start: 0, end: 500_000 });
      await store.append(id, 500_000, text('another end'));
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      assert.ok(Buffer.concat(chunks).equals(bytes.subarray(0, 500_000)));
    },
  },
  {
    id: 'blobs-share-independent',
    name: 'either of two shared blobs outlives the other',
    async prove(store) {
      const first = await writeNew(store, 'the same bytes');
      const [second, third] = [newId(), newId()];
      await store.share(first, second);
      await store.share(second, third);
      assert.equal((await listAll(store)).size, 3);
      await store.remove(first);
      assert.equal(await readText(store, second, 14), 'the same bytes');
      await store.remove(third);
      assert.equal(await readText(store, second, 14), 'the same bytes');
      assert.deepEqual([...(await listAll(store))], [[second, 14]]);
    },
  },
  {
    id: 'blobs-remove',
    name: 'a removed blob is gone, and removing an absent one is success',
    async prove(store) {
      const [gone, kept] = [await writeNew(store, 'gone'), await writeNew(store, 'kept')];
      await store.remove(gone);
      await store.remove(gone);
      await store.remove(newId());
      await assert.rejects(store.read(gone, { start: 0, end: 1 }));
      assert.deepEqual([...(await listAll(store))], [[kept, 4]]);
    },
  },
  {
    id: 'blobs-list',
    name: 'list gives every blob once with its size, and stands removals meanwhile',
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
