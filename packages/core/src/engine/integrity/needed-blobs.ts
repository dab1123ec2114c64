import type { Entry } from '../../contracts/metadata-store.js';
import { bucketRecords } from '../records/buckets.js';
import type { Segment } from '../records/content.js';
import type { RecordDamagedError, RecordKind } from '../records/kind.js';
import { unpack } from '../records/manifest.js';
import { manifestRecords } from '../records/manifests.js';
import { objectRecords } from '../records/objects.js';
import { partRecords } from '../records/parts.js';
import { tombstoneRecords } from '../records/tombstones.js';
import { uploadRecords } from '../records/uploads.js';

/** The kinds of records that name blobs, in the order in which they must be taken. */
export const NAMING_BLOBS: readonly Pick<RecordKind<unknown, unknown>, 'pages'>[] = [
  ...[bucketRecords, tombstoneRecords, manifestRecords, objectRecords],
  ...[partRecords, uploadRecords],
];

/** Collects from records, in key order, which blobs must exist and how long they must be. */
export class NeededBlobs {
  readonly #ofObjects = new Map<string, number>();
  readonly #ofParts = new Map<string, { readonly uploadId: string; readonly size: number }>();
  /** Segments whose blobs may grow, by blob. */
  readonly #growing = new Map<string, Segment>();
  readonly #queued = new Set<string>();
  readonly #buckets = new Set<string>();
  readonly #unfinished = new Set<string>();
  objects = 0;

  /** Throws a {@link RecordDamagedError} for a record without the form of its kind. */
  take(entry: Entry): void {
    const prefix = entry.key.slice(0, entry.key.indexOf('/') + 1);
    this.#takers[prefix]?.(entry);
  }

  /** Whether a record or a tombstone names the blob, even if it may be absent. */
  isNamed(id: string): boolean {
    return this.#queued.has(id) || this.#ofObjects.has(id) || this.#ofParts.has(id);
  }

  /**
   * The size that each blob must have at least. Parts of an upload that has ended, or whose bucket
   * was deleted, need no blobs: an interrupted sweep may have removed some.
   */
  sizes(): Map<string, number> {
    const sizes = new Map(this.#ofObjects);
    for (const [blob, { uploadId, size }] of this.#ofParts) {
      if (this.#unfinished.has(uploadId)) atLeast(sizes, blob, size);
    }
    return sizes;
  }

  /** The CRC-32 of the first bytes of a blob that may have grown, if one segment contains these. */
  checksumOf(id: string, size: number): number | undefined {
    const { offset, length, crc32 } = this.#growing.get(id) ?? {};
    return offset === 0 && length === size ? crc32 : undefined;
  }

  readonly #takers: Readonly<Record<string, (entry: Entry) => void>> = {
    [bucketRecords.prefix]: (entry) => void this.#buckets.add(bucketRecords.decode(entry).value.id),
    [tombstoneRecords.prefix]: ({ key }) => void this.#queued.add(tombstoneRecords.parse(key).id),
    [manifestRecords.prefix]: (entry) => {
      const { key, value } = manifestRecords.decode(entry);
      // The manifest of an interrupted copy names blobs that were never created.
      const isDropped = this.#queued.has(manifestRecords.parse(key));
      for (const segment of unpack(value)) {
        if (isDropped) this.#queued.add(segment.blob);
        else need(this.#ofObjects, segment);
      }
    },
    [objectRecords.prefix]: (entry) => {
      this.objects++;
      const { content, type } = objectRecords.decode(entry).value;
      for (const segment of 'inline' in content ? [] : content.segments) {
        need(this.#ofObjects, segment);
        if (type === 'Appendable') this.#growing.set(segment.blob, segment);
      }
    },
    [partRecords.prefix]: (entry) => {
      const { key, value } = partRecords.decode(entry);
      const { uploadId } = partRecords.parse(key);
      for (const { blob, offset, length } of value.content.segments) {
        this.#ofParts.set(blob, { uploadId, size: offset + length });
      }
    },
    [uploadRecords.prefix]: ({ key }) => {
      const { bucketId, uploadId } = uploadRecords.parse(key);
      if (this.#buckets.has(bucketId)) this.#unfinished.add(uploadId);
    },
  };
}

const need = (sizes: Map<string, number>, { blob, offset, length }: Segment): void =>
  atLeast(sizes, blob, offset + length);

function atLeast(sizes: Map<string, number>, blob: string, size: number): void {
  sizes.set(blob, Math.max(sizes.get(blob) ?? 0, size));
}
