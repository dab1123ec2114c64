import { StorageError } from '../../errors.js';
import { MAX_OBJECT_BYTES } from '../../limits.js';
import { wholeOf } from '../content/content.js';
import type { ContentName } from '../content/damage.js';
import { joinedCrc32 } from '../content/joined-crc.js';
import { readPiece } from '../content/reading.js';
import { writeBlob } from '../content/receive.js';
import { stopOnAbort } from '../content/stop-on-abort.js';
import { discard } from '../garbage/sweep.js';
import type { Segment } from '../records/content.js';
import { pack } from '../records/manifest.js';
import type { Reservation } from '../records/tombstones.js';
import type { Store } from '../store.js';

/** Fewer segments with the same data. */
export interface Joined {
  readonly segments: readonly Segment[];
  /** Segments of the blobs that are no longer needed. */
  readonly dropped: readonly Segment[];
  readonly reserved: readonly Reservation[];
}

/**
 * Joins the segments of one object when there are too many. If a commit has to be retried, the same
 * segments are not copied twice. {@link Joiner.reserved} covers what it has copied.
 */
export class Joiner {
  readonly #store: Store;
  readonly #name: ContentName;
  readonly #signal: AbortSignal | undefined;
  #packed: Uint8Array | undefined;
  #joined: Joined | undefined;

  constructor(store: Store, name: ContentName, signal?: AbortSignal) {
    this.#store = store;
    this.#name = name;
    this.#signal = signal;
  }

  get reserved(): readonly Reservation[] {
    return this.#joined?.reserved ?? [];
  }

  /** At most `most` segments. Throws InvalidArgument when that would copy more than 5 GB. */
  async join(segments: readonly Segment[], most: number): Promise<Joined> {
    return this.#join(segments, segments.length > most ? () => runsOf(segments, most) : undefined);
  }

  /** Joins all segments from the index `first` on into one. */
  async joinFrom(segments: readonly Segment[], first: number): Promise<Joined> {
    const end = segments.length;
    const bytes = segments.slice(first).reduce((sum, { length }) => sum + length, 0);
    return this.#join(segments, () => [{ first, end, bytes }]);
  }

  async #join(segments: readonly Segment[], runs?: () => readonly Run[]): Promise<Joined> {
    const packed = runs && pack(segments);
    const same = packed !== undefined && this.#packed !== undefined;
    if (same && Buffer.compare(packed, this.#packed as Uint8Array) === 0) {
      return this.#joined as Joined;
    }
    await discard(this.#store, this.reserved);
    this.#joined = undefined;
    this.#packed = undefined;
    if (runs === undefined) return { segments, dropped: [], reserved: [] };
    this.#joined = await this.#copy(segments, runs());
    this.#packed = packed;
    return this.#joined;
  }

  /** Copies all runs into one new blob, in order. */
  async #copy(segments: readonly Segment[], runs: readonly Run[]): Promise<Joined> {
    const copied = runs.reduce((sum, { bytes }) => sum + bytes, 0);
    if (copied > MAX_OBJECT_BYTES) {
      const message =
        `The object would consist of ${segments.length} segments; it may have ` +
        `${this.#store.settings.maxSegments}. Upload some of its parts instead of copying them.`;
      throw new StorageError('InvalidArgument', message);
    }
    const bytes = this.#read(segments, runs);
    const written = await writeBlob(this.#store, stopOnAbort(bytes, this.#signal));
    const left: Segment[] = [];
    let [at, offset] = [0, 0];
    for (const { first, end, bytes: length } of runs) {
      for (; at < first; at++) left.push(segments[at] as Segment);
      const crc = joinedCrc32();
      for (; at < end; at++) {
        const segment = segments[at] as Segment;
        crc.add(segment.crc32, segment.length);
      }
      left.push({ blob: written.id, offset, length, crc32: crc.value });
      offset += length;
    }
    for (; at < segments.length; at++) left.push(segments[at] as Segment);
    const needed = new Set(left.map(({ blob }) => blob));
    const dropped = segments.filter(({ blob }) => !needed.has(blob));
    return { segments: left, dropped, reserved: [written] };
  }

  async *#read(segments: readonly Segment[], runs: readonly Run[]): AsyncGenerator<Uint8Array> {
    for (const { first, end } of runs) {
      for (let at = first; at < end; at++) {
        yield* readPiece(this.#store, this.#name, wholeOf(segments[at] as Segment));
      }
    }
  }
}

/** Adjacent segments that become one: from `first` up to, but not including, `end`. */
interface Run {
  readonly first: number;
  readonly end: number;
  readonly bytes: number;
}

/**
 * The runs to join so that at most `most` segments are left. The size of a run is the smallest
 * sufficient power of two, and there are no more runs than needed.
 */
function runsOf(segments: readonly Segment[], most: number): Run[] {
  for (let size = 1; ; size *= 2) {
    const runs: Run[] = [];
    let saved = 0;
    for (let first = 0; first < segments.length && segments.length - saved > most; ) {
      let [end, bytes] = [first, 0];
      while (end < segments.length && (end === first || bytes + lengthOf(segments, end) <= size)) {
        bytes += lengthOf(segments, end++);
      }
      if (end - first > 1) runs.push({ first, end, bytes });
      saved += end - first - 1;
      first = end;
    }
    if (segments.length - saved <= most) return runs;
  }
}

const lengthOf = (segments: readonly Segment[], at: number): number =>
  (segments[at] as Segment).length;
