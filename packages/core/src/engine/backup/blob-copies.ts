import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import {
  BlobNotFoundError,
  type BlobStore,
  BlobTooShortError,
} from '../../contracts/blob-store.js';
import { inParallel } from '../concurrency/parallel.js';
import type { NeededBlobs } from '../integrity/needed-blobs.js';
import type { BackupDirectory } from './directory.js';
import type { WorkingDirectory } from './working-directory.js';

const BLOBS_AT_A_TIME = 8;

interface Options {
  readonly blobs: BlobStore;
  readonly directory: BackupDirectory;
  readonly work: WorkingDirectory;
  readonly signal: AbortSignal;
  readonly onProgress: () => void;
  readonly onError: (error: unknown) => void;
}

/** Copies from the storage what a backup needs and does not have yet. */
export class BlobCopies {
  /** Blobs that neither the storage nor the backup has completely. */
  readonly missing: string[] = [];
  readonly counts = { present: 0, copied: 0, copiedBytes: 0 };
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Afterwards, `sizes` says how much of each blob the backup has. */
  async copy(sizes: Map<string, number>, needed: Pick<NeededBlobs, 'checksumOf'>): Promise<void> {
    const { directory, signal, onProgress, onError } = this.#options;
    await inParallel(sizes, BLOBS_AT_A_TIME, async ([id, size]) => {
      signal.throwIfAborted();
      const known = (await directory.sizeOf(id)) ?? 0;
      const checksum = needed.checksumOf(id, size);
      const problem = known < size ? await this.#complete(id, known, size, checksum) : undefined;
      if (problem !== undefined) {
        this.missing.push(id);
        return onError(problem);
      }
      this.counts.present++;
      onProgress();
    });
    if (this.missing.length > 0) await this.#copyRemains(sizes);
  }

  /**
   * Resolves to the reason if the storage does not have the rest of the blob. Data that the backup
   * already has is only replaced by intact data, because it may be the last that is intact.
   */
  async #complete(
    id: string,
    known: number,
    size: number,
    checksum: number | undefined,
  ): Promise<Error | undefined> {
    const expected = known > 0 ? checksum : undefined;
    if (expected !== undefined) {
      const problem = await this.#add(id, known, size, expected);
      if (!(problem instanceof DamagedError)) return problem;
    }
    return this.#add(id, 0, size, expected);
  }

  /**
   * What is left of the missing blobs may be all that ever will be. The backup keeps what it has,
   * and adds what the storage has beyond that.
   */
  async #copyRemains(sizes: Map<string, number>): Promise<void> {
    const { blobs, directory } = this.#options;
    const missing = new Set(this.missing);
    for await (const { id, size } of blobs.list()) {
      if (!missing.has(id)) continue;
      const known = (await directory.sizeOf(id)) ?? 0;
      const end = Math.min(size, sizes.get(id) ?? 0);
      if (end > known) await this.#add(id, known, end);
    }
    for (const id of missing) {
      const kept = await directory.sizeOf(id);
      if (kept === undefined) sizes.delete(id);
      else sizes.set(id, kept);
    }
  }

  /**
   * Replaces a blob of the backup: its bytes up to `start` stay, the others are from the storage.
   * Changes nothing and resolves to the reason if these are lost, or the checksum does not match.
   */
  async #add(
    id: string,
    start: number,
    size: number,
    checksum?: number,
  ): Promise<Error | undefined> {
    const { blobs, directory, work, signal } = this.#options;
    try {
      const rest = await blobs.read(id, { start, end: size });
      try {
        const first = start > 0 ? createReadStream(directory.blob(id), { end: start - 1 }) : [];
        await work.addBlob(id, verified(id, [first, rest], checksum), signal);
      } finally {
        rest.destroy();
      }
    } catch (error) {
      if (LOST.some((kind) => error instanceof kind)) return error as Error;
      throw error;
    }
    this.counts.copied++;
    this.counts.copiedBytes += size - start;
    return undefined;
  }
}

/** Thrown for a blob that differs from what was written. */
class DamagedError extends Error {
  constructor(id: string) {
    super(`The blob ${id} is damaged: its checksum does not match. Run a scrub.`);
  }
}

const LOST = [BlobNotFoundError, BlobTooShortError, DamagedError];

async function* verified(
  id: string,
  sources: readonly (Readable | readonly Uint8Array[])[],
  checksum: number | undefined,
): AsyncGenerator<Uint8Array> {
  let actual = 0;
  for (const source of sources) {
    for await (const chunk of source) {
      if (checksum !== undefined) actual = crc32(chunk, actual);
      yield chunk;
    }
  }
  if (checksum !== undefined && actual !== checksum) throw new DamagedError(id);
}
