import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { BlobStore } from '@bucketware/core';
import { chunksOf, keyOf, MIB, newId } from './fixtures.js';
import type { Store } from './store.js';

export const small = randomBytes(1000);
export const large = randomBytes(5 * MIB + 100_000);

type Work = (blobs: BlobStore, store: Store) => Promise<void>;

const id = newId();
const fill = (store: Store, bytes: Buffer) => store.objects.set(keyOf(id), bytes);
const same = (found: Buffer | undefined, expected: Buffer) => {
  if (!found?.equals(expected)) throw new Error('The bytes are others.');
};

/** Calls of the store, and what must hold when each resolves. */
export const works: Readonly<Record<string, Work>> = {
  async 'write of few bytes'(blobs, { objects }) {
    await blobs.write(id, chunksOf(small));
    same(objects.get(keyOf(id)), small);
  },
  async 'write in parts'(blobs, { objects, uploads }) {
    const { size } = await blobs.write(id, chunksOf(large));
    same(objects.get(keyOf(id)), large);
    if (size !== large.length || uploads.size > 1) throw new Error('More is left.');
  },
  async 'read of few bytes'(blobs, store) {
    fill(store, small);
    same(await buffer(await blobs.read(id, { start: 10, end: 900 })), small.subarray(10, 900));
  },
  async 'read of many bytes'(blobs, store) {
    fill(store, large);
    same(await buffer(await blobs.read(id, { start: 5, end: MIB })), large.subarray(5, MIB));
  },
  async share(blobs, store) {
    fill(store, small);
    const as = newId();
    await blobs.share(id, as, small.length);
    same(store.objects.get(keyOf(as)), small);
  },
  async remove(blobs, store) {
    fill(store, small);
    await blobs.remove(id);
    if (store.objects.size > 0) throw new Error('It is there.');
  },
  async list(blobs, store) {
    for (let at = 0; at < 150; at++) store.objects.set(keyOf(newId()), small);
    store.objects.set(`${keyOf(id)}/other`, small);
    const found = new Set<string>();
    for await (const { id: one, size } of blobs.list()) if (size === 1000) found.add(one);
    if (found.size !== 150) throw new Error(`It lists ${found.size}.`);
  },
  async identify(blobs) {
    await blobs.identify('storage');
    if ((await blobs.identity()) !== 'storage') throw new Error('It is not kept.');
  },
};
