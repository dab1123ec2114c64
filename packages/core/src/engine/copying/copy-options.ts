import type { BlobStore } from '../../contracts/blob-store.js';
import type { MetadataStore } from '../../contracts/metadata-store.js';

/** The drivers of a storage. */
export interface Drivers {
  readonly metadata: MetadataStore;
  readonly blobs: BlobStore;
}

/** What a copy reads: the drivers of a storage, or a backup. */
export interface CopySource {
  readonly metadata: Pick<MetadataStore, 'get' | 'list'>;
  readonly blobs: Pick<BlobStore, 'read' | 'list'>;
}

export interface CopyOptions {
  /** The storage to copy. It may be read meanwhile. */
  readonly from: CopySource;
  /** Empty drivers, or those of an interrupted copy, which then continues. */
  readonly to: Drivers;
  /** Called after each blob and each page of records. */
  readonly onProgress?: ((progress: CopyReport) => void) | undefined;
  /** Ends the copy early; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What this call has copied, without what an interrupted call copied before. */
export interface CopyReport {
  readonly passes: number;
  readonly blobs: number;
  readonly bytes: number;
  readonly records: number;
}
