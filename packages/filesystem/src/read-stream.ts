import { Readable } from 'node:stream';
import { BlobTooShortError, type ReadOptions } from '@bucketware/core/contracts';
import type { FileOperations } from './files.js';

const CHUNK_BYTES = 256 * 1024;

/**
 * The bytes of an open file from `start` up to, but not including, `end`. Closes the file at the
 * end. Unlike `fs.createReadStream`, it fails instead of ending early when the file is too short.
 */
export class BlobReadStream extends Readable {
  readonly #files: FileOperations;
  readonly #file: number;
  readonly #id: string;
  readonly #end: number;
  readonly #allocate: (size: number) => Uint8Array;
  #position: number;
  #reading: Promise<void> = Promise.resolve();

  constructor(
    files: FileOperations,
    file: number,
    id: string,
    range: { start: number; end: number },
    options?: ReadOptions,
  ) {
    // Reads nothing ahead, because hundreds of slow clients may each have a chunk in memory.
    super({ highWaterMark: 0 });
    this.#files = files;
    this.#file = file;
    this.#id = id;
    this.#position = range.start;
    this.#end = range.end;
    this.#allocate = options?.allocate ?? Buffer.allocUnsafeSlow;
  }

  override _read(): void {
    this.#reading = this.#readChunk().catch((error: Error) => void this.destroy(error));
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    // The file must not be closed during a read: its descriptor could be reused for another file.
    this.#reading
      .then(() => this.#files.close(this.#file))
      .then(
        () => callback(error),
        (closeError: Error) => callback(error ?? closeError),
      );
  }

  async #readChunk(): Promise<void> {
    const length = Math.min(CHUNK_BYTES, this.#end - this.#position);
    if (length <= 0) {
      this.push(null);
      return;
    }
    const bytes = this.#allocate(length);
    const read = await this.#files.read(this.#file, bytes, this.#position);
    if (read === 0) throw new BlobTooShortError(this.#id, this.#position, this.#end);
    this.#position += read;
    this.push(read === length ? bytes : bytes.subarray(0, read));
  }
}
