/** An object, or a part of an upload to it. */
export interface ContentName {
  readonly bucket: string;
  readonly key: string;
  readonly uploadId?: string | undefined;
  readonly partNumber?: number | undefined;
}

/**
 * `damaged`: the bytes are not those that were written. `missing`: they are gone. `short`: the blob
 * ends too early. `unreadable`: the driver failed to read them.
 */
export type Problem = 'damaged' | 'missing' | 'short' | 'unreadable';

/** Bytes of an object, or of a part, that are not as they were written. */
export interface Damage extends ContentName {
  /** The id of the blob; of the record, where the bytes or their list are in one. */
  readonly blob: string;
  /** Which bytes of the blob: `length` from `offset` on. Absent when none of them was looked at. */
  readonly offset?: number;
  readonly length?: number;
  readonly problem: Problem;
}

const MEANING: Readonly<Record<Problem, string>> = {
  damaged: 'are not those that were written',
  missing: 'are missing',
  short: 'end too early',
  unreadable: 'could not be read',
};

/**
 * Bytes that differ from their checksum, or are lost. The client gets an InternalError or a cut
 * connection, the host's `onError` gets this. Nothing is deleted: bring the blob back from a backup,
 * or replace or delete the object.
 */
export class BlobDamagedError extends Error {
  override readonly name = 'BlobDamagedError';
  readonly damage: Damage;

  constructor(damage: Damage, options?: ErrorOptions) {
    const { bucket, key, partNumber, blob, problem } = damage;
    const part = partNumber === undefined ? '' : `part ${partNumber} of an upload to `;
    super(`Bytes of ${part}${bucket}/${key}, in the blob ${blob}, ${MEANING[problem]}.`, options);
    this.damage = damage;
  }
}
