import type { Part, S3Bucket, Upload } from './bucket.js';
import { isRefusal, RequestError } from './failures.js';

/** The maximum number of parts in S3. */
const MAX_PARTS = 10_000;

type SendPart = (upload: Upload, number: number) => Promise<Part>;

/** A multipart upload. If it fails, it is aborted. */
export class PartedUpload {
  readonly #bucket: S3Bucket;
  readonly #upload: Upload;
  readonly #atOnce: number;
  readonly #parts: Promise<Part>[] = [];
  readonly #running = new Set<Promise<unknown>>();

  private constructor(bucket: S3Bucket, upload: Upload, atOnce: number) {
    this.#bucket = bucket;
    this.#upload = upload;
    this.#atOnce = atOnce;
  }

  static async begin(bucket: S3Bucket, key: string, atOnce: number): Promise<PartedUpload> {
    const id = await bucket.beginUpload(key);
    return new PartedUpload(bucket, { key, id }, atOnce);
  }

  /** Resolves when the next part may be added. Rejects when an earlier part has failed. */
  async add(send: SendPart): Promise<void> {
    const number = this.#parts.length + 1;
    if (number > MAX_PARTS) throw new Error(`A blob has at most ${MAX_PARTS} parts.`);
    const sending = send(this.#upload, number);
    const running = sending.finally(() => this.#running.delete(running));
    running.catch(() => {}); // `complete` reports the failure.
    this.#parts.push(sending);
    this.#running.add(running);
    if (this.#running.size >= this.#atOnce) await Promise.race(this.#running);
  }

  /**
   * Creates the object. `size` is the total size of its parts. Rejects with an unsettled
   * {@link RequestError} if the object may still appear.
   */
  async complete(size: number): Promise<void> {
    const parts = await Promise.all(this.#parts);
    const { key } = this.#upload;
    try {
      await this.#bucket.complete(this.#upload, parts);
    } catch (error) {
      // An attempt without a response may have succeeded, in which case the object exists.
      const isOver = error instanceof RequestError && error.unsettled;
      if (!isOver || (await this.#bucket.sizeOf(key).catch(() => undefined)) !== size) throw error;
    }
  }

  /**
   * Ends the upload without creating the object. If this rejects, parts stay in the store until a
   * lifecycle rule removes them.
   */
  async abort(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.#bucket.abort(this.#upload).catch((error: unknown) => {
      if (!isRefusal(error, 'NoSuchUpload')) throw error;
    });
  }
}
