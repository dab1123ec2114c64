import type { BlobStore, MetadataStore } from '@bucketware/core';
import type { FileOperations } from '@bucketware/filesystem';

/** The directory of the blobs on a simulated machine. */
export const ROOT = '/store';

export interface Stores {
  readonly blobs: BlobStore;
  readonly metadata: MetadataStore;
}

/**
 * The drivers of a run. `rightDrivers` change nothing; the wrong ones are in wrong-protocols.ts.
 */
export interface Drivers {
  files(files: FileOperations): FileOperations;
  stores(stores: Stores, files: FileOperations): Stores;
  readonly readGrace?: number;
  readonly segmentsInRecord?: number;
  /** Whether calls may fail although no fault was injected. */
  readonly mayFail?: boolean;
  /** Whether the records may lose their last commit in a crash. */
  readonly forgetsLastCommit?: boolean;
}

/** A mistake in the protocol. The simulator must detect each one. */
export interface WrongProtocol {
  readonly name: string;
  readonly drivers: Drivers;
  /** Whether the mistake has an effect only when calls fail. */
  readonly needsFaults?: boolean;
  /**
   * Whether the mistake shows in what clients see during a run: more calls, with fewer crashes at
   * each.
   */
  readonly needsRaces?: boolean;
  /** Whether the mistake shows only when a power cut follows the end of a process. */
  readonly needsKills?: boolean;
}

export const rightDrivers: Drivers = {
  files: (files) => files,
  stores: (stores) => stores,
};

/** A blob store with some calls replaced. */
export const replaced = (blobs: BlobStore, calls: Partial<BlobStore>): BlobStore => ({
  identity: () => blobs.identity(),
  identify: (storeId) => blobs.identify(storeId),
  write: (id, source, options) => blobs.write(id, source, options),
  ...(blobs.append === undefined ? {} : { append: blobs.append.bind(blobs) }),
  read: (id, range) => blobs.read(id, range),
  share: (id, as) => blobs.share(id, as),
  remove: (id) => blobs.remove(id),
  list: () => blobs.list(),
  close: () => blobs.close(),
  ...calls,
});

/** The methods of a class as plain functions, so that some can be replaced. */
export const bound = (files: FileOperations): FileOperations => ({
  open: (path, flags) => files.open(path, flags),
  close: (file) => files.close(file),
  read: (file, bytes, position) => files.read(file, bytes, position),
  write: (file, bytes, position) => files.write(file, bytes, position),
  writeMany: (file, chunks, position) => files.writeMany(file, chunks, position),
  truncate: (file, size) => files.truncate(file, size),
  size: (file) => files.size(file),
  sync: (file) => files.sync(file),
  syncData: (file) => files.syncData(file),
  syncDirectory: (path) => files.syncDirectory(path),
  makeDirectory: (path) => files.makeDirectory(path),
  readDirectory: (path) => files.readDirectory(path),
  sizeOf: (path) => files.sizeOf(path),
  link: (from, to) => files.link(from, to),
  rename: (from, to) => files.rename(from, to),
  remove: (path) => files.remove(path),
  watch: (path) => files.watch(path),
});
