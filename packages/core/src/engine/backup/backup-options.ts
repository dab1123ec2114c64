/** The options of `storage.backup()`. */
export interface BackupOptions {
  /** Called after each page of records and after each blob. */
  readonly onProgress?: ((progress: BackupProgress) => void) | undefined;
  /** Ends the backup early; it rejects with the signal's reason. The previous backup stays. */
  readonly signal?: AbortSignal | undefined;
}

/** How far a backup has come. */
export interface BackupProgress {
  /** Records that were read. */
  readonly records: number;
  /** Blobs that the backup needs; `undefined` until this is known. */
  readonly blobs: number | undefined;
  /** How many of these the backup already has, from earlier backups or from this call. */
  readonly present: number;
  /** Blobs that this call has copied. */
  readonly copied: number;
  /** Bytes that this call has copied. */
  readonly copiedBytes: number;
}

/** The result of a complete backup. */
export interface BackupReport extends BackupProgress {
  /** When the records were read: the backup contains the storage as of this time. */
  readonly taken: Date;
  /** Blobs that the backup needs. */
  readonly blobs: number;
  /** The total size of all blobs in the backup, in bytes. */
  readonly bytes: number;
  /**
   * Blobs that the backup needs, but that neither the storage nor an earlier backup has completely.
   * The backup contains the longest beginning that one of them has.
   */
  readonly missing: readonly string[];
}
