import type { BlobStore } from '../../contracts/blob-store.js';
import type { MetadataStore } from '../../contracts/metadata-store.js';
import { type KnownOptions, kinds } from '../../options.js';

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

/** The options of {@link copyStore}. */
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

const DRIVERS = { ...kinds.anObject, is: 'the drivers of a storage: { metadata, blobs }' };

export const COPY_OPTIONS: KnownOptions<CopyOptions> = {
  from: kinds.required(DRIVERS),
  to: kinds.required(DRIVERS),
  onProgress: kinds.aFunction,
  signal: kinds.signal,
};

/** What this call has copied, without what an interrupted call copied before. */
export interface CopyReport {
  /** Passes over the source, each of which copies what has changed. */
  readonly passes: number;
  /** Blobs that were written to the target. */
  readonly blobs: number;
  /** The total size of these blobs, in bytes. */
  readonly bytes: number;
  /** Records that were written to the target or removed from it. */
  readonly records: number;
}
