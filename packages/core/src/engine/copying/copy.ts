import { BlobNotFoundError } from '../../contracts/blob-store.js';
import { encodeValue } from '../../contracts/values.js';
import { inParallel } from '../concurrency/parallel.js';
import { type Claim, commitAs } from './claim.js';
import { CopiedBlobs } from './copied-blobs.js';
import { entriesOf, PAGE } from './copied-records.js';
import type { CopyOptions, CopyReport, CopySource, Drivers } from './copy-options.js';

/** How many blobs are copied at the same time. */
const BLOBS_AT_A_TIME = 8;

/** The maximum size of one commit, unless a single record is larger. */
const MAX_BYTES = 4 * 1024 * 1024;

interface DifferentBlob {
  readonly id: string;
  readonly size: number;
  /** Whether the target has a blob with this id, which may be incomplete. */
  readonly isBegun: boolean;
}

/** Makes the target equal to the source, pass by pass. */
export class Copy {
  readonly #from: CopySource;
  readonly #to: Drivers;
  readonly #claim: Claim;
  readonly #copied: CopiedBlobs;
  readonly #signal: AbortSignal | undefined;
  readonly #onProgress: CopyOptions['onProgress'];
  readonly #report = { passes: 0, blobs: 0, bytes: 0, records: 0 };

  constructor({ from, to, signal, onProgress }: CopyOptions, claim: Claim) {
    this.#from = from;
    this.#to = to;
    this.#claim = claim;
    this.#copied = new CopiedBlobs(claim, to.metadata);
    this.#signal = signal;
    this.#onProgress = onProgress;
  }

  get report(): CopyReport {
    return { ...this.#report };
  }

  /** Continues where an interrupted call has stopped. */
  begin(): Promise<void> {
    return this.#copied.load();
  }

  /** Removes from the target what only an unfinished copy needs. */
  end(): Promise<void> {
    return this.#copied.clear();
  }

  /** Copies blobs before the records that name them. Resolves to whether anything was different. */
  async pass(): Promise<boolean> {
    const surplus = await this.#sizesAtTarget();
    const before = this.report;
    try {
      await inParallel(this.#differentBlobs(surplus), BLOBS_AT_A_TIME, (blob) =>
        this.#copyBlob(blob),
      );
    } catch (error) {
      await this.#copied.save().catch(() => {}); // The first failure is the one to report.
      throw error;
    }
    await this.#copied.save();
    await this.#copyRecords();
    for (const id of surplus.keys()) await this.#remove(id);
    const { blobs, records } = this.#report;
    const changed = surplus.size > 0 || blobs > before.blobs || records > before.records;
    this.#report.passes++;
    this.#reportProgress();
    return changed;
  }

  async #sizesAtTarget(): Promise<Map<string, number>> {
    const sizes = new Map<string, number>();
    for await (const { id, size } of this.#to.blobs.list()) sizes.set(id, size);
    // This proves that none of them belongs to a copy that is finished and in use.
    await this.#confirmClaim();
    return sizes;
  }

  /** Leaves in `atTarget` the blobs that the source does not have. */
  async *#differentBlobs(atTarget: Map<string, number>): AsyncGenerator<DifferentBlob> {
    for await (const { id, size } of this.#from.blobs.list()) {
      this.#signal?.throwIfAborted();
      const known = atTarget.get(id);
      atTarget.delete(id);
      const isCopied = known === size && this.#copied.has(id, size);
      if (!isCopied) yield { id, size, isBegun: known !== undefined };
    }
  }

  /** A blob that an interrupted copy has begun is written again from its beginning. */
  async #copyBlob({ id, size, isBegun }: DifferentBlob): Promise<void> {
    try {
      const bytes = await this.#from.blobs.read(id, { start: 0, end: size });
      if (isBegun) await this.#remove(id);
      await this.#to.blobs.write(id, bytes, { signal: this.#signal });
      await this.#copied.add(id, size);
      this.#report.bytes += size;
    } catch (error) {
      // The blob was removed after it was listed. The next pass finds no record that names it.
      if (!(error instanceof BlobNotFoundError)) throw error;
    }
    this.#report.blobs++;
    this.#reportProgress();
  }

  /**
   * This copy may have been paused for a long time. Meanwhile another may have finished, and its
   * blobs may be in use.
   */
  async #remove(id: string): Promise<void> {
    await this.#confirmClaim();
    await this.#copied.forget(id);
    await this.#to.blobs.remove(id);
  }

  #confirmClaim(): Promise<void> {
    return commitAs(this.#claim, this.#to.metadata, {});
  }

  /** Reads both sides in key order, in parallel. */
  async #copyRecords(): Promise<void> {
    const targets = entriesOf(this.#to.metadata);
    let target = await targets.next();
    const put: { key: string; value: unknown }[] = [];
    const removed: string[] = [];
    let size = 0;
    const flush = async (): Promise<void> => {
      this.#signal?.throwIfAborted();
      await commitAs(this.#claim, this.#to.metadata, { put, delete: removed });
      this.#report.records += put.length + removed.length;
      this.#reportProgress();
      put.length = 0;
      removed.length = 0;
      size = 0;
    };
    const removeUpTo = async (key: string | undefined): Promise<void> => {
      while (!target.done && (key === undefined || comesBefore(target.value.key, key))) {
        removed.push(target.value.key);
        target = await targets.next();
      }
    };
    for await (const { key, value } of entriesOf(this.#from.metadata)) {
      await removeUpTo(key);
      const bytes = encodeValue(value);
      const isKnown = !target.done && target.value.key === key;
      // Drivers may return bytes as different kinds of Uint8Array.
      if (!isKnown || !bytes.equals(encodeValue(target.value?.value))) {
        put.push({ key, value });
        size += bytes.length;
      }
      if (isKnown) target = await targets.next();
      if (put.length + removed.length >= PAGE || size >= MAX_BYTES) await flush();
    }
    await removeUpTo(undefined);
    if (put.length + removed.length > 0) await flush();
  }

  #reportProgress(): void {
    this.#onProgress?.(this.report);
  }
}

const comesBefore = (one: string, other: string): boolean =>
  Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;
