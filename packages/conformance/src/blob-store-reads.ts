import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { BlobNotFoundError, type BlobStore } from '@bucketware/core/contracts';
import { assertSame, newId, readAll, writeNew } from './blob-tools.js';
import type { DriverRule } from './driver-suite.js';

const SIZE = 1_500_000;

export const readCases: readonly DriverRule<BlobStore>[] = [
  {
    id: 'blobs-read-ranges',
    name: 'read returns a range with its start and without its end',
    async prove(store) {
      const bytes = randomBytes(SIZE);
      const id = await writeNew(store, bytes);
      const places = [0, 1, 65_535, 65_536, 262_144, 262_145, 1_000_000, SIZE - 1, SIZE];
      for (const start of places) {
        for (const end of places.filter((place) => place >= start)) {
          const found = await readAll(store, id, start, end);
          assertSame(found, bytes.subarray(start, end), `bytes ${start} to ${end}`);
        }
      }
    },
  },
  {
    id: 'blobs-read-missing',
    name: 'read, share and append of an absent blob reject with a BlobNotFoundError',
    async prove(store) {
      const id = newId();
      const rejects = (error: unknown): boolean =>
        error instanceof BlobNotFoundError && error.id === id;
      await assert.rejects(store.read(id, { start: 0, end: 0 }), rejects);
      await assert.rejects(store.read(id, { start: 0, end: 9 }), rejects);
      await assert.rejects(store.share(id, newId()), rejects);
      if (store.append === undefined) return;
      await assert.rejects(store.append(id, 0, (async function* () {})()), rejects);
    },
  },
  {
    id: 'blobs-read-beyond',
    name: 'read beyond the end fails, instead of ending early',
    async prove(store) {
      const id = await writeNew(store, randomBytes(300_000));
      for (const range of [
        { start: 0, end: 300_001 },
        { start: 299_999, end: 600_000 },
        { start: 400_000, end: 400_001 },
      ]) {
        await assert.rejects(
          readAll(store, id, range.start, range.end),
          (error) => error instanceof Error && !(error instanceof BlobNotFoundError),
        );
      }
    },
  },
  {
    id: 'blobs-read-while-removed',
    name: 'a stream that read has opened stays complete when the blob is removed, whether begun or not',
    async prove(store) {
      const bytes = randomBytes(SIZE);
      const id = await writeNew(store, bytes);
      const untouched = await store.read(id, { start: 0, end: SIZE });
      const begun = await store.read(id, { start: 0, end: SIZE });
      await once(begun, 'readable');
      await store.remove(id);
      for (const found of await Promise.all([buffer(begun), buffer(untouched)])) {
        assertSame(found, bytes);
      }
    },
  },
  {
    id: 'blobs-read-parallel',
    name: 'streams of one blob do not affect each other, and neither do abandoned ones',
    async prove(store) {
      const bytes = randomBytes(SIZE);
      const id = await writeNew(store, bytes);
      const readOne = async (index: number): Promise<void> => {
        const stream = await store.read(id, { start: index, end: SIZE - index });
        if (index % 3 === 0) stream.destroy();
        else assertSame(await buffer(stream), bytes.subarray(index, SIZE - index));
      };
      await Promise.all(Array.from({ length: 30 }, (_, index) => readOne(index)));
    },
  },
  {
    id: 'blobs-read-slowly',
    name: 'a stream delivers its bytes however slowly they are read, and whatever else happens',
    async prove(store) {
      const bytes = randomBytes(6_000_000);
      const id = await writeNew(store, bytes);
      const stream = await store.read(id, { start: 0, end: bytes.length });
      const chunks: Buffer[] = [];
      let garbage: unknown[] = [];
      for await (const chunk of stream) {
        chunks.push(chunk);
        if (chunks.length % 4 === 1) await store.remove(await writeNew(store, randomBytes(70_000)));
        // Triggers the garbage collector, which collects what the stream fails to reference.
        garbage = Array.from({ length: 50_000 }, (_, index) => ({
          index,
          garbage: garbage.length,
        }));
        await setTimeout(1);
      }
      assertSame(Buffer.concat(chunks), bytes);
    },
  },
  {
    id: 'blobs-read-isolated',
    name: 'changing bytes that were read does not change the blob',
    async prove(store) {
      const id = await writeNew(store, 'stored');
      (await readAll(store, id, 0, 6)).fill(0);
      for await (const chunk of await store.read(id, { start: 0, end: 6 })) chunk.fill(0);
      assert.equal((await readAll(store, id, 0, 6)).toString(), 'stored');
    },
  },
];
