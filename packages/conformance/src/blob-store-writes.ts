import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BlobStore } from '@bucketware/core/contracts';
import {
  appendTo,
  assertSame,
  inPieces,
  listAll,
  newId,
  readAll,
  readText,
  writeNew,
} from './blob-tools.js';
import type { DriverRule } from './driver-suite.js';

type Take = (
  source: AsyncIterable<Uint8Array>,
  options: { readonly signal: AbortSignal },
) => Promise<unknown>;

const MEGABYTE = 1024 * 1024;

export const writeCases: readonly DriverRule<BlobStore>[] = [
  {
    id: 'blobs-write-pieces',
    name: 'write and read preserve 5 MiB in pieces of odd sizes byte for byte',
    async prove(store) {
      const bytes = randomBytes(5 * MEGABYTE);
      const id = newId();
      const written = await store.write(id, inPieces(bytes, 1, 65_537, 0, 300_001, 7));
      assert.deepEqual(written, { size: bytes.length });
      assertSame(await readAll(store, id, 0, bytes.length), bytes);
    },
  },
  {
    id: 'blobs-write-empty',
    name: 'write creates an empty blob from an empty source',
    async prove(store) {
      const id = newId();
      assert.deepEqual(await store.write(id, inPieces(Buffer.alloc(0), 1)), { size: 0 });
      assert.equal((await readAll(store, id, 0, 0)).length, 0);
      assert.deepEqual([...(await listAll(store))], [[id, 0]]);
    },
  },
  {
    id: 'blobs-write-stream',
    name: 'write accepts Node streams and plain Uint8Arrays',
    async prove(store) {
      const id = newId();
      const source = Readable.from([Buffer.from('one '), new Uint8Array([116, 119, 111])]);
      assert.deepEqual(await store.write(id, source), { size: 7 });
      assert.equal(await readText(store, id, 7), 'one two');
    },
  },
  {
    id: 'blobs-write-parallel',
    name: 'write stores many blobs concurrently, each with its own bytes',
    async prove(store) {
      const blobs = Array.from({ length: 100 }, (_, index) => ({
        id: newId(),
        bytes: randomBytes(1000 * index + 1),
      }));
      await Promise.all(blobs.map(({ id, bytes }) => store.write(id, inPieces(bytes, 4096))));
      for (const { id, bytes } of blobs) {
        assertSame(await readAll(store, id, 0, bytes.length), bytes);
      }
      assert.equal((await listAll(store)).size, blobs.length);
    },
  },
  {
    id: 'blobs-write-source-failure',
    name: 'write and append reject with the error of a failing source, and earlier bytes stay',
    async prove(store) {
      for (const count of [0, 1, 40]) {
        const failure = new Error('the client went away');
        const source = async function* () {
          for (let sent = 0; sent < count; sent++) yield randomBytes(50_000);
          throw failure;
        };
        const rejects = (error: unknown): boolean => error === failure;
        await assert.rejects(store.write(newId(), source()), rejects);
        const id = await writeNew(store, 'kept');
        if (store.append) await assert.rejects(store.append(id, 4, source()), rejects);
        assert.equal(await readText(store, id, 4), 'kept');
      }
    },
  },
  {
    id: 'blobs-write-abort',
    name: 'write and append reject with the reason of an abort signal, and release the source',
    async prove(store) {
      const reason = new Error('enough');
      const rejects = (error: unknown): boolean => error === reason;
      const blob = await writeNew(store, 'kept');
      const ways: Take[] = [(source, options) => store.write(newId(), source, options)];
      if (store.append) ways.push((source, options) => appendTo(store, blob, 4, source, options));
      for (const take of ways) {
        const early = { signal: AbortSignal.abort(reason) };
        await assert.rejects(take(inPieces(Buffer.alloc(9), 1), early), rejects);
        const controller = new AbortController();
        let released = false;
        const endless = async function* () {
          try {
            for (let sent = 0; sent < 10_000; sent++) {
              if (sent === 5) controller.abort(reason);
              yield Buffer.alloc(1000);
            }
          } finally {
            released = true;
          }
        };
        await assert.rejects(take(endless(), { signal: controller.signal }), rejects);
        assert.equal(released, true);
      }
      assert.equal(await readText(store, blob, 4), 'kept');
    },
  },
  {
    id: 'blobs-write-once',
    name: 'write and share reject an id that is in use, and change nothing',
    async prove(store) {
      const id = await writeNew(store, 'first');
      await assert.rejects(store.write(id, inPieces(Buffer.from('second'), 9)));
      const other = await writeNew(store, 'other');
      await assert.rejects(store.share(other, id));
      assert.equal(await readText(store, id, 5), 'first');
    },
  },
  {
    id: 'blobs-write-ids',
    name: 'write, append, read, share and remove reject an invalid id with a TypeError',
    async prove(store) {
      const good = await writeNew(store, 'good');
      const bad = ['', 'a', '../../etc/passwd', good.toUpperCase().replace(/\d/g, 'A')];
      bad.push(`${good}0`, `${good}\n`, `${good.slice(0, 30)}/x`, `${good.slice(0, 30)}..`);
      const source = () => inPieces(Buffer.from('x'), 1);
      for (const id of bad) {
        await assert.rejects(store.write(id, source()), TypeError);
        if (store.append) await assert.rejects(store.append(id, 0, source()), TypeError);
        await assert.rejects(store.read(id, { start: 0, end: 0 }), TypeError);
        await assert.rejects(store.share(id, newId()), TypeError);
        await assert.rejects(store.share(good, id), TypeError);
        await assert.rejects(store.remove(id), TypeError);
      }
      assert.deepEqual([...(await listAll(store))], [[good, 4]]);
    },
  },
];
