import type { BlobStore, MetadataStore } from '@bucketware/core';
import type { FileOperations } from '@bucketware/filesystem';

/** Where the blobs of a simulated machine are. */
export const ROOT = '/store';

export interface Stores {
  readonly blobs: BlobStore;
  readonly metadata: MetadataStore;
}

/** The drivers of a run. The right ones change nothing; wrong ones are in wrong-protocols.ts. */
export interface Drivers {
  files(files: FileOperations): FileOperations;
  stores(stores: Stores, files: FileOperations): Stores;
  readonly readGrace?: number;
  readonly segmentsInRecord?: number;
  /** Calls may fail although no fault was made. */
  readonly mayFail?: boolean;
  /** The records may lose their last commit in a crash. */
  readonly forgetsLastCommit?: boolean;
}

/** A mistake that storages make. The simulator must find each of them. */
export interface WrongProtocol {
  readonly name: string;
  readonly drivers: Drivers;
  /** It shows only where calls fail. */
  readonly needsFaults?: boolean;
  /** It shows in what clients meanwhile see: more calls, and fewer crashes at each of them. */
  readonly needsRaces?: boolean;
}

export const rightDrivers: Drivers = {
  files: (files) => files,
  stores: (stores) => stores,
};

/** A blob store of which some calls are others. */
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

/** The calls of a class as plain functions, so that some of them can be replaced. */
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
});
