import { Readable } from 'node:stream';
import { checkBlobId } from '../contracts/blob-ids.js';
import {
  BlobNotFoundError,
  BlobTooShortError,
  type GrowingBlobStore,
} from '../contracts/blob-store.js';
import { checkOptions } from '../options.js';

const CHUNK_BYTES = 256 * 1024;

type Options = { readonly signal?: AbortSignal | undefined };

/** A blob store in memory, for tests and experiments. Its content is lost when the process ends. */
export function memoryBlobs(options: Readonly<Record<string, never>> = {}): GrowingBlobStore {
  checkOptions('memoryBlobs()', options, {});
  return new MemoryBlobs();
}

class MemoryBlobs implements GrowingBlobStore {
  /** Buffers in this map are never changed: an append replaces them. */
  readonly #blobs = new Map<string, Buffer>();
  #storeId: string | undefined;

  async identity(): Promise<string | undefined> {
    return this.#storeId;
  }

  async identify(storeId: string): Promise<void> {
    this.#storeId = storeId;
  }

  async write(id: string, source: AsyncIterable<Uint8Array>, options?: Options) {
    this.#checkNew(id);
    const bytes = await collect([], source, options?.signal);
    this.#checkNew(id);
    this.#blobs.set(id, bytes);
    return { size: bytes.length };
  }

  async append(id: string, from: number, source: AsyncIterable<Uint8Array>, options?: Options) {
    const old = this.#find(id);
    if (old.length < from) throw new Error(`The blob ${id} ends before position ${from}.`);
    const bytes = await collect([old.subarray(0, from)], source, options?.signal);
    this.#blobs.set(id, bytes);
    return { size: bytes.length };
  }

  async read(id: string, { start, end }: { start: number; end: number }): Promise<Readable> {
    const bytes = this.#find(id);
    if (bytes.length < end) throw new BlobTooShortError(id, bytes.length, end);
    return Readable.from(slices(bytes, start, end), { objectMode: false });
  }

  async share(id: string, as: string): Promise<void> {
    const bytes = this.#find(id);
    this.#checkNew(as);
    this.#blobs.set(as, bytes);
  }

  async remove(id: string): Promise<void> {
    checkBlobId(id);
    this.#blobs.delete(id);
  }

  async *list(): AsyncGenerator<{ id: string; size: number }> {
    for (const [id, bytes] of this.#blobs) yield { id, size: bytes.length };
  }

  async close(): Promise<void> {}

  #find(id: string): Buffer {
    checkBlobId(id);
    const bytes = this.#blobs.get(id);
    if (!bytes) throw new BlobNotFoundError(id);
    return bytes;
  }

  #checkNew(id: string): void {
    checkBlobId(id);
    if (this.#blobs.has(id)) throw new Error(`The blob ${id} already exists.`);
  }
}

async function collect(
  chunks: Uint8Array[],
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  signal?.throwIfAborted();
  for await (const chunk of source) {
    signal?.throwIfAborted();
    // Copies the chunk, because its owner may reuse the memory.
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
}

function* slices(bytes: Buffer, start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end; at += CHUNK_BYTES) {
    // Yields a copy, because a reader may change it.
    yield Buffer.from(bytes.subarray(at, Math.min(at + CHUNK_BYTES, end)));
  }
}
