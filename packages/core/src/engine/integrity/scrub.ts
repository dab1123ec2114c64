import chain from 'stream-chain/core';
import { BlobNotFoundError } from '../../contracts/blob-store.js';
import { bucketExists, readBucket } from '../buckets/buckets.js';
import { Pace } from '../concurrency/pace.js';
import { type Piece, segmentsOf } from '../content/content.js';
import { BlobDamagedError, type Damage } from '../content/damage.js';
import { readInline, requireSize, type Sized, verify } from '../content/reading.js';
import type { Content, Inline, Segment } from '../records/content.js';
import { requireOwnRecords } from '../records/store-identity.js';
import { uploadRecords } from '../records/uploads.js';
import type { Store } from '../store.js';
import { BEGINNING, everything, type Found, fromText, type ScrubCursor, toText } from './walk.js';

/** The options of `storage.scrub()`. */
export interface ScrubOptions {
  /** Verifies only this bucket. Default: all buckets. */
  readonly bucket?: string | undefined;
  /** Continues where an earlier scrub ended: the `next` of its report. */
  readonly after?: string | undefined;
  /** Ends the scrub early, without an error: `next` of the report says where to continue. */
  readonly signal?: AbortSignal | undefined;
  /** The maximum read rate. Each object counts as an additional 4 KiB. Default: no limit. */
  readonly bytesPerSecond?: number | undefined;
  /** Called for each damaged item as soon as it is found. */
  readonly onDamage?: ((damage: Damage) => void) | undefined;
  /** Called about once a second, so that you can save `next`. A returned promise is awaited. */
  readonly onProgress?: ((report: ScrubReport) => void | Promise<void>) | undefined;
}

/** What this call of a scrub has read and found. */
export interface ScrubReport {
  /** Objects that were verified. */
  readonly objects: number;
  /** Parts of unfinished uploads. */
  readonly parts: number;
  /** Blobs, and records with data in them, that were read. */
  readonly blobs: number;
  /** Bytes that were read. */
  readonly bytes: number;
  /** How many damaged items were found. */
  readonly found: number;
  /** The first 1,000 of these. */
  readonly damaged: readonly Damage[];
  /** Where to continue; `undefined` when the scrub has reached the end. */
  readonly next: string | undefined;
}

const MAX_LISTED = 1000;
const RECORD_BYTES = 4096;
const PROGRESS_EVERY = 1000;

/**
 * Reads and verifies the data of every object and part. Deletes nothing. Works on a live storage:
 * data that is replaced meanwhile is not reported. Takes memory for one page of records.
 */
export async function scrub(
  store: Store,
  options: ScrubOptions,
  onError: (error: unknown) => void,
): Promise<ScrubReport> {
  const { bucket, after, signal } = options;
  await requireOwnRecords(store);
  const from = after === undefined ? BEGINNING : fromText(after);
  const only = bucket === undefined ? undefined : await readBucket(store, bucket);
  const run = new Run(store, options, onError, from);
  try {
    const steps = chain([
      (found: Found): Promise<ScrubCursor> => run.read(found),
      (behind: ScrubCursor): Promise<void> => run.moveOn(behind),
    ]);
    // The last step has no result.
    for await (const _ of steps(everything(store, only, from)));
  } catch (error) {
    if (!signal?.aborted || error !== signal.reason) throw error;
    return run.report();
  }
  return { ...run.report(), next: undefined };
}

class Run {
  readonly #store: Store;
  readonly #options: ScrubOptions;
  readonly #onError: (error: unknown) => void;
  readonly #from: ScrubCursor;
  readonly #pace: Pace;
  readonly #counts = { objects: 0, parts: 0, blobs: 0, bytes: 0, found: 0 };
  readonly #damaged: Damage[] = [];
  #next: ScrubCursor;
  #reportedAt = performance.now();

  constructor(
    store: Store,
    options: ScrubOptions,
    onError: (error: unknown) => void,
    from: ScrubCursor,
  ) {
    const { bytesPerSecond = Number.POSITIVE_INFINITY, signal } = options;
    this.#store = store;
    this.#options = options;
    this.#onError = onError;
    this.#from = from;
    this.#next = from;
    this.#pace = new Pace(bytesPerSecond, signal);
  }

  report(): ScrubReport {
    return { ...this.#counts, damaged: [...this.#damaged], next: toText(this.#next) };
  }

  /**
   * Reads and verifies an object or a part, and does so again if it was replaced meanwhile.
   * Resolves to the cursor after it.
   */
  async read(found: Found): Promise<ScrubCursor> {
    const { name, at, behind } = found;
    const { record, part } = at(0);
    const begun = record === this.#from.record && part === this.#from.part;
    let position = begun ? this.#from.position : 0;
    let entry: Found['entry'] | undefined = found.entry;
    this.#next = at(position);
    await this.#pace.spend(RECORD_BYTES);
    while (entry !== undefined) {
      if (await this.#verify({ ...found, entry }, entry.value, position)) break;
      entry = await found.again();
      position = 0;
    }
    this.#counts[name.partNumber === undefined ? 'objects' : 'parts']++;
    return behind;
  }

  /** False when the data was replaced. */
  async #verify(found: Found, record: Sized, start: number): Promise<boolean> {
    const { content, size } = record;
    if ('inline' in content) {
      const error = await this.#problemOf(found, () => this.#readInline(found, content, size));
      return this.#report(found, error);
    }
    const end = Number.POSITIVE_INFINITY;
    let pieces: Iterable<Piece> = [];
    const error = await this.#problemOf(found, async () => {
      const list = await segmentsOf(this.#store, content);
      pieces = list.within({ start, end });
      requireSize(found.name, record, list);
    });
    if (!(await this.#report(found, error))) return false;
    let position = start;
    for (const { segment, length } of pieces) {
      const bad = await this.#problemOf(found, () => this.#readSegment(found, segment), segment);
      if (!(await this.#report(found, bad))) return false;
      position += length;
      await this.moveOn(found.at(position));
    }
    return true;
  }

  async #readInline({ name }: Found, content: Inline, size: number): Promise<void> {
    this.#counts.blobs++;
    const { length } = await readInline(this.#store, name, content, size);
    await this.#read(length);
  }

  async #readSegment({ name }: Found, segment: Segment): Promise<void> {
    this.#counts.blobs++;
    await verify(this.#store, name, segment, (bytes) => this.#read(bytes));
  }

  async #read(bytes: number): Promise<void> {
    this.#counts.bytes += bytes;
    await this.#pace.spend(bytes);
  }

  /** What is wrong with the data. If records cannot be read, the scrub fails instead. */
  async #problemOf(
    { name }: Found,
    read: () => Promise<void>,
    segment?: Segment,
  ): Promise<BlobDamagedError | undefined> {
    try {
      await read();
      return undefined;
    } catch (cause) {
      this.#options.signal?.throwIfAborted();
      if (cause instanceof BlobDamagedError) return cause;
      const options = { cause };
      if (cause instanceof BlobNotFoundError) {
        return new BlobDamagedError({ ...name, blob: cause.id, problem: 'missing' }, options);
      }
      if (segment === undefined) throw cause;
      const { blob, offset, length } = segment;
      const problem = 'unreadable';
      return new BlobDamagedError({ ...name, blob, offset, length, problem }, options);
    }
  }

  /**
   * Reports what is wrong, if a record that is read now still names the data. Otherwise returns
   * false.
   */
  async #report(found: Found, error: BlobDamagedError | undefined): Promise<boolean> {
    if (error === undefined) return true;
    const { entry } = found;
    const now = await found.again();
    if (now === undefined) return false;
    const { content } = now.value;
    if (now.version !== entry.version && !(await this.#names(content, error.damage.blob))) {
      return false;
    }
    if (await this.#isBeingRemoved(found)) return true;
    this.#counts.found++;
    if (this.#damaged.length < MAX_LISTED) this.#damaged.push(error.damage);
    this.#options.onDamage?.(error.damage);
    this.#onError(error);
    return true;
  }

  /**
   * Parts whose upload or bucket was deleted await a sweep, which may already have removed their
   * data.
   */
  async #isBeingRemoved({ upload }: Found): Promise<boolean> {
    if (upload === undefined) return false;
    if ((await uploadRecords.get(this.#store.metadata, upload)) === undefined) return true;
    return !(await bucketExists(this.#store, upload.bucketId));
  }

  /**
   * An object that is constantly appended to differs each time it is read, but its damage remains.
   */
  async #names(content: Content, id: string): Promise<boolean> {
    if ('inline' in content) return content.inline === id;
    if (content.manifest === id) return true;
    try {
      for (const { blob } of await segmentsOf(this.#store, content)) if (blob === id) return true;
      return false;
    } catch (error) {
      if (error instanceof BlobNotFoundError) return false; // Replaced once more.
      throw error;
    }
  }

  /** Saves the cursor, and reports progress from time to time. */
  async moveOn(cursor: ScrubCursor): Promise<void> {
    this.#next = cursor;
    const { onProgress } = this.#options;
    if (onProgress === undefined || performance.now() - this.#reportedAt < PROGRESS_EVERY) return;
    this.#reportedAt = performance.now();
    await onProgress(this.report());
  }
}
