import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { BlobStore } from '@bucketware/core/contracts';
import {
  assertSame,
  inPieces,
  listAll,
  newId,
  readText,
  shareOrCopy,
  writeNew,
} from './blob-tools.js';
import type { DriverRule } from './driver-suite.js';

export const lifetimeCases: readonly DriverRule<BlobStore>[] = [
  {
    id: 'blobs-lifetime-identity',
    name: 'identity is undefined until identify sets it, and is not listed as a blob',
    async prove(store) {
      assert.equal(await store.identity(), undefined);
      await store.identify('storage-1 é');
      assert.equal(await store.identity(), 'storage-1 é');
      await store.identify('storage-2');
      assert.equal(await store.identity(), 'storage-2');
      assert.equal((await listAll(store)).size, 0);
    },
  },
  {
    id: 'blobs-lifetime-identity-kept',
    name: 'identify outlives the store',
    reopens: true,
    async prove(store, reopen) {
      await store.identify('storage-1');
      await store.identify('storage-2 é');
      await store.close();
      assert.equal(await (await reopen()).identity(), 'storage-2 é');
    },
  },
  {
    id: 'blobs-lifetime-reopen',
    name: 'write, append, share and remove outlive the store',
    reopens: true,
    async prove(store, reopen) {
      const id = await writeNew(store, 'bytes');
      const shared = newId();
      await shareOrCopy(store, id, shared);
      const tail = await writeNew(store, 'tail');
      await store.append?.(tail, 4, inPieces(Buffer.from(' end'), 2));
      await store.remove(await writeNew(store, 'gone'));
      await store.close();
      const again = await reopen();
      assert.equal(await readText(again, id, 5), 'bytes');
      assert.equal(await readText(again, shared, 5), 'bytes');
      const text = store.append === undefined ? 'tail' : 'tail end';
      assert.equal(await readText(again, tail, text.length), text);
      assert.equal((await listAll(again)).size, 3);
      await again.remove(id);
      assert.equal(await readText(again, shared, 5), 'bytes');
    },
  },
  {
    id: 'blobs-lifetime-close',
    name: 'close does not affect open streams, and may be called twice',
    async prove(store) {
      const bytes = randomBytes(1_000_000);
      const id = await writeNew(store, bytes);
      const stream = await store.read(id, { start: 0, end: bytes.length });
      await store.close();
      assertSame(await buffer(stream), bytes);
      await store.close();
    },
  },
];
