import { StorageError } from '../../errors.js';
import { MAX_ASSEMBLED_BYTES } from '../../limits.js';
import { CHECKSUM_NAMES } from '../content/digests.js';
import type { Checksum } from '../records/checksums.js';
import type { Stored } from '../records/kind.js';
import { type PartRecord, partRecords } from '../records/parts.js';
import { checksumOfPart } from './part-checksum.js';

export interface ListedPart {
  readonly partNumber: number;
  readonly etag: string;
  /** The checksums that the client expects the part to have. */
  readonly checksums?: readonly Checksum[];
}

/** A part as it was uploaded, and its record key. */
export interface UploadedPart {
  readonly partNumber: number;
  readonly key: string;
  readonly part: PartRecord;
}

/** Finds the listed parts among the uploaded ones; both are sorted by number. */
export class PartChoice {
  readonly parts: UploadedPart[] = [];
  readonly unlisted: UploadedPart[] = [];
  /** The error of the list. Throw it only if the parts have not changed. */
  problem: StorageError | undefined;
  readonly #listed: readonly ListedPart[];
  readonly #minBytes: number;
  #size = 0;

  /** Every part but the last has at least `minBytes`. */
  constructor(listed: readonly ListedPart[], minBytes: number) {
    this.#listed = listed;
    this.#minBytes = minBytes;
  }

  add(page: readonly Stored<PartRecord>[]): void {
    for (const { key, value: part } of page) {
      const { partNumber } = partRecords.parse(key);
      const wanted = this.#listed[this.parts.length];
      if (wanted === undefined || partNumber < wanted.partNumber) {
        this.unlisted.push({ partNumber, key, part });
        continue;
      }
      const missing = partNumber > wanted.partNumber;
      this.problem = missing ? invalid(wanted) : this.#problemOf(part, wanted);
      if (this.problem !== undefined) return;
      this.parts.push({ partNumber, key, part });
    }
  }

  /** Call it when there are no more uploaded parts. */
  end(): void {
    const missing = this.#listed[this.parts.length];
    if (missing !== undefined) this.problem ??= invalid(missing);
  }

  #problemOf(part: PartRecord, wanted: ListedPart): StorageError | undefined {
    if (part.etag !== wanted.etag) return invalid(wanted);
    for (const { algorithm, value } of wanted.checksums ?? []) {
      if (checksumOfPart(part, algorithm)?.value !== value)
        return invalid(wanted, CHECKSUM_NAMES[algorithm]);
    }
    const isLast = this.parts.length === this.#listed.length - 1;
    if (part.size < this.#minBytes && !isLast) {
      const message =
        `Part ${wanted.partNumber} has only ${part.size} bytes; ` +
        `all parts but the last must have at least ${this.#minBytes}.`;
      return new StorageError('EntityTooSmall', message);
    }
    this.#size += part.size;
    return this.#size > MAX_ASSEMBLED_BYTES ? new StorageError('EntityTooLarge') : undefined;
  }
}

const invalid = ({ partNumber }: ListedPart, name?: string) =>
  new StorageError(
    'InvalidPart',
    name === undefined
      ? `Part ${partNumber} was uploaded with a different ETag, or not at all.`
      : `Part ${partNumber} was uploaded with a different ${name}.`,
  );
