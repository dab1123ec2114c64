import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { BlobNotShareableError, type BlobStore } from '@bucketware/core/contracts';

export const newId = (): string => randomBytes(16).toString('hex');

/** Yields the bytes in pieces, cycling through these sizes. */
export async function* inPieces(bytes: Buffer, ...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] as number;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

export async function writeNew(store: BlobStore, bytes: Buffer | string): Promise<string> {
  const id = newId();
  await store.write(id, inPieces(Buffer.from(bytes), 65_536));
  return id;
}

/** Appends to a blob. Fails if the store has no `append`. */
export async function appendTo(
  store: BlobStore,
  ...given: Parameters<NonNullable<BlobStore['append']>>
): Promise<{ size: number }> {
  if (store.append !== undefined) return store.append(...given);
  assert.fail('The store has no append. If its blobs cannot grow, pass { appends: false }.');
}

/**
 * Like the core, copies a blob that a store cannot share. Asserts that `share` then left nothing.
 */
export async function shareOrCopy(store: BlobStore, id: string, as: string): Promise<void> {
  try {
    await store.share(id, as);
  } catch (error) {
    if (!(error instanceof BlobNotShareableError)) throw error;
    const size = (await listAll(store)).get(id) ?? 0;
    await store.write(as, await store.read(id, { start: 0, end: size }));
  }
}

/** Compares bytes. Reports the position of the first difference, because a diff could be huge. */
export function assertSame(found: Buffer, expected: Buffer, what = 'the blob'): void {
  if (found.equals(expected)) return;
  let at = 0;
  while (at < expected.length && found[at] === expected[at]) at++;
  assert.fail(
    `${what}: ${found.length} bytes instead of ${expected.length}, the same up to position ${at}`,
  );
}

export async function readAll(
  store: BlobStore,
  id: string,
  start: number,
  end: number,
): Promise<Buffer> {
  return buffer(await store.read(id, { start, end }));
}

export async function readText(store: BlobStore, id: string, end: number): Promise<string> {
  return (await readAll(store, id, 0, end)).toString();
}

export async function listAll(store: BlobStore): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const { id, size } of store.list()) found.set(id, size);
  return found;
}
