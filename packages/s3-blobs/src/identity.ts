import type { S3Bucket } from './bucket.js';
import { isRefusal } from './failures.js';

const LAYOUT = 1;
const KEY = 'storage.json';

/** Far more than the object has, in bytes. */
const LIMIT = 4096;

/** Reads and writes the object that states which storage the blobs belong to. */
export class Identity {
  readonly #bucket: S3Bucket;
  /** Whether the blobs belonged to no storage when the object was last read. */
  #isNew: boolean | undefined;

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket;
  }

  async read(): Promise<string | undefined> {
    const id = await this.#read();
    this.#isNew = id === undefined;
    return id;
  }

  /** Rejects if another storage has claimed the blobs since the object was last read. */
  async claim(id: string): Promise<void> {
    const isNew = this.#isNew ?? (await this.read()) === undefined;
    const bytes = Buffer.from(`${JSON.stringify({ storageId: id, layout: LAYOUT })}\n`);
    try {
      await this.#bucket.put({ key: KEY, bytes, ifNew: isNew });
    } catch (error) {
      // An attempt without a response may have succeeded, or another process of the same storage
      // may have claimed the blobs.
      if (!isRefusal(error, 'PreconditionFailed')) throw error;
    }
    // In a store without conditions, the last writer wins. The others notice that here.
    const found = await this.read();
    if (found === id) return;
    throw new Error(
      `The storage ${found} has just claimed the same blobs in ${this.#bucket.place}.`,
    );
  }

  async #read(): Promise<string | undefined> {
    try {
      const { bytes } = await this.#bucket.getFew(KEY, LIMIT);
      return parse(bytes, this.#bucket.place);
    } catch (error) {
      if (isRefusal(error, 'NoSuchKey')) return undefined;
      throw error;
    }
  }
}

function parse(bytes: Buffer, place: string): string {
  let content: { storageId?: unknown; layout?: unknown };
  try {
    content = JSON.parse(bytes.toString());
  } catch (cause) {
    throw new Error(`${KEY} in ${place} is damaged, or does not belong to Bucketware.`, { cause });
  }
  const { storageId, layout } = content;
  if (layout === LAYOUT && typeof storageId === 'string') return storageId;
  throw new Error(
    `${KEY} in ${place} does not have layout ${LAYOUT}: it was written by another version.`,
  );
}
