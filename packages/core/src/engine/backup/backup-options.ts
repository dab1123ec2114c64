export interface BackupOptions {
  /** Called after each page of records and after each blob. */
  readonly onProgress?: ((progress: BackupProgress) => void) | undefined;
  /** Ends the backup early, with the signal's reason. The one before it stays. */
  readonly signal?: AbortSignal | undefined;
}

export interface BackupProgress {
  readonly records: number;
  /** Blobs that the backup needs. Undefined: not known yet. */
  readonly blobs: number | undefined;
  /** Of these, those that are there: they were before, or this call has copied them. */
  readonly present: number;
  /** Blobs that this call has copied. */
  readonly copied: number;
  /** Bytes that this call has copied. */
  readonly copiedBytes: number;
}

export interface BackupReport extends BackupProgress {
  /** When the records were read: the backup has the storage as it was then. */
  readonly taken: Date;
  readonly blobs: number;
  /** All bytes of blobs that the backup has. */
  readonly bytes: number;
  /** Blobs that records name, but that neither the storage nor an earlier backup has, or not whole. */
  readonly missing: readonly string[];
}
