/** An object, or a part of an upload to it. */
export interface ContentName {
  readonly bucket: string;
  readonly key: string;
  readonly uploadId?: string | undefined;
  readonly partNumber?: number | undefined;
}

/**
 * `damaged`: the data differs from what was written. `missing`: it does not exist. `short`: the
 * blob ends too early. `unreadable`: the driver failed to read it.
 */
export type Problem = 'damaged' | 'missing' | 'short' | 'unreadable';

/** Data of an object, or of a part, that is lost or differs from what was written. */
export interface Damage extends ContentName {
  /** The id of the blob, or of the record that contains the data or the list of segments. */
  readonly blob: string;
  /**
   * The affected bytes of the blob: `length` bytes from `offset` on. Absent when nothing could be
   * read.
   */
  readonly offset?: number;
  readonly length?: number;
  readonly problem: Problem;
}

const MEANING: Readonly<Record<Problem, string>> = {
  damaged: 'differs from what was written',
  missing: 'is missing',
  short: 'ends too early',
  unreadable: 'could not be read',
};

/**
 * Thrown for data that is lost or does not match its checksum. The client gets an InternalError, or
 * its connection is closed; your `onError` gets this error. Nothing is deleted: restore the blob
 * from a backup, or replace or delete the object.
 */
export class BlobDamagedError extends Error {
  override readonly name = 'BlobDamagedError';
  readonly damage: Damage;

  constructor(damage: Damage, options?: ErrorOptions) {
    const { bucket, key, partNumber, blob, problem } = damage;
    const part = partNumber === undefined ? '' : `part ${partNumber} of an upload to `;
    super(`Data of ${part}${bucket}/${key}, in the blob ${blob}, ${MEANING[problem]}.`, options);
    this.damage = damage;
  }
}
