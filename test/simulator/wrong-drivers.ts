import type { Change, MetadataStore } from '@bucketware/core';
import { type Drivers, rightDrivers, type Stores } from './protocol.js';

/** The right drivers with wrapped stores. */
export const wrongStores = (wrap: Drivers['stores']): Drivers => ({
  ...rightDrivers,
  stores: (stores, files) => wrap(rightDrivers.stores(stores, files), files),
});

/** The right drivers with another commit. */
export const wrongCommit = (
  commit: (change: Change, stores: Stores) => Promise<string | undefined>,
): Drivers =>
  wrongStores((stores) => ({
    ...stores,
    metadata: recordsWith(stores.metadata, { commit: (change) => commit(change, stores) }),
  }));

/** A metadata store with some calls replaced. */
export const recordsWith = (
  metadata: MetadataStore,
  calls: Partial<MetadataStore>,
): MetadataStore => ({
  get: (key) => metadata.get(key),
  getMany: (keys) => metadata.getMany(keys),
  list: (range) => metadata.list(range),
  commit: (change) => metadata.commit(change),
  close: () => metadata.close(),
  ...calls,
});
