import { BlobUnsettledError } from '@bucketware/core/contracts';
import type { S3Bucket, Upload } from './bucket.js';
import { inPieces } from './chunks.js';
import { isRefusal, RequestError } from './failures.js';
import { PartedUpload } from './upload.js';

/** How many parts of a blob are sent at the same time. */
const PARTS_AT_ONCE = 2;

/** Larger blobs are copied in parts of this size, in bytes, so that each request ends soon. */
const COPIED_PART = 128 * 1024 * 1024;
const COPIES_AT_ONCE = 4;

/** A new blob. */
export interface Target {
  readonly id: string;
  readonly key: string;
}

/** Writes blobs: small ones in one request, large ones in parts. */
export class Writes {
  readonly #bucket: S3Bucket;
  readonly #partSize: number;
  readonly #aborting = new Set<Promise<void>>();

  constructor(bucket: S3Bucket, partSize: number) {
    this.#bucket = bucket;
    this.#partSize = partSize;
  }

  /** Resolves to the size of the blob, in bytes. */
  async write(
    { id, key }: Target,
    source: AsyncIterable<Uint8Array>,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    let size = 0;
    let first: Buffer | undefined;
    let upload: PartedUpload | undefined;
    const send = (bytes: Buffer) => (of: Upload, number: number) =>
      this.#bucket.putPart(of, number, bytes, signal);
    try {
      for await (const piece of inPieces(source, this.#partSize, signal)) {
        size += piece.length;
        if (upload !== undefined) await upload.add(send(piece));
        else if (first === undefined) first = piece;
        else {
          upload = await PartedUpload.begin(this.#bucket, key, PARTS_AT_ONCE);
          await upload.add(send(first));
          await upload.add(send(piece));
        }
      }
      if (upload === undefined) await this.#put(key, first ?? Buffer.alloc(0));
      else await upload.complete(size);
      return size;
    } catch (error) {
      if (upload !== undefined) this.#abort(upload);
      throw settled(id, error);
    }
  }

  /** Copies a blob inside the store, so that its data does not pass through this process. */
  async copy(from: string, { id, key }: Target, size: number): Promise<void> {
    try {
      if (size <= COPIED_PART) await this.#bucket.copy({ from, to: key });
      else await this.#copyInParts(from, key, size);
    } catch (error) {
      throw settled(id, error);
    }
  }

  /** Resolves when no request is running any more. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#aborting);
  }

  async #put(key: string, bytes: Buffer): Promise<void> {
    try {
      await this.#bucket.put({ key, bytes, ifNew: true });
    } catch (error) {
      // The key is new, so only an attempt without a response can have created the object.
      const isOurs = isRefusal(error, 'PreconditionFailed') && error.unsettled;
      if (!isOurs || (await this.#bucket.sizeOf(key)) !== bytes.length) throw error;
    }
  }

  async #copyInParts(from: string, to: string, size: number): Promise<void> {
    const upload = await PartedUpload.begin(this.#bucket, to, COPIES_AT_ONCE);
    try {
      for (let start = 0; start < size; start += COPIED_PART) {
        const range = `bytes=${start}-${Math.min(start + COPIED_PART, size) - 1}`;
        await upload.add((of, number) => this.#bucket.copyPart(of, number, from, range));
      }
      await upload.complete(size);
    } catch (error) {
      this.#abort(upload);
      throw error;
    }
  }

  /** Aborts an upload in the background, because the store may be down. */
  #abort(upload: PartedUpload): void {
    const aborting = upload
      .abort()
      // The caller has the first failure. A lifecycle rule of the bucket removes the parts.
      .catch(() => {})
      .finally(() => this.#aborting.delete(aborting));
    this.#aborting.add(aborting);
  }
}

/** The requests that create an object. An upload that is never completed creates none. */
const MAKING = ['PutObject', 'CompleteMultipartUpload', 'CopyObject'];

/** Marks a failed write after which the blob may still appear. */
const settled = (id: string, error: unknown): unknown =>
  error instanceof RequestError && error.unsettled && MAKING.includes(error.operation)
    ? new BlobUnsettledError(id, { cause: error })
    : error;
