import { StorageError } from '../../errors.js';
import { MAX_ASSEMBLED_BYTES } from '../../limits.js';
import type { Stored } from '../records/kind.js';
import { type PartRecord, partRecords } from '../records/parts.js';

export interface ListedPart {
  readonly partNumber: number;
  readonly etag: string;
}

/** A part as it was uploaded, and its record key. */
export interface UploadedPart {
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
      const number = partRecords.parse(key).partNumber;
      const wanted = this.#listed[this.parts.length];
      if (wanted === undefined || number < wanted.partNumber) {
        this.unlisted.push({ key, part });
        continue;
      }
      this.problem = number > wanted.partNumber ? invalid(wanted) : this.#problemOf(part, wanted);
      if (this.problem !== undefined) return;
      this.parts.push({ key, part });
    }
  }

  /** There are no more parts. */
  end(): void {
    const missing = this.#listed[this.parts.length];
    if (missing !== undefined) this.problem ??= invalid(missing);
  }

  #problemOf(part: PartRecord, wanted: ListedPart): StorageError | undefined {
    if (part.etag !== wanted.etag) return invalid(wanted);
    const isLast = this.parts.length === this.#listed.length - 1;
    if (part.size < this.#minBytes && !isLast) {
      const message =
        `Part ${wanted.partNumber} has only ${part.size} bytes; ` +
        `all parts but the last have at least ${this.#minBytes}.`;
      return new StorageError('EntityTooSmall', message);
    }
    this.#size += part.size;
    return this.#size > MAX_ASSEMBLED_BYTES ? new StorageError('EntityTooLarge') : undefined;
  }
}

const invalid = ({ partNumber }: ListedPart) =>
  new StorageError('InvalidPart', `Part ${partNumber} is not the one that was uploaded.`);
