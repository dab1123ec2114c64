import { type BlobStore, checkOptions, type KnownOptions, kinds } from '@bucketware/core/contracts';
import { changeCases } from './blob-store-changes.js';
import { lifetimeCases } from './blob-store-lifetime.js';
import { readCases } from './blob-store-reads.js';
import { writeCases } from './blob-store-writes.js';
import {
  type BlobStoreSuiteOptions,
  type DriverFixture,
  driverSuite,
  type OpenDriver,
} from './driver-suite.js';
import type { TestFunction } from './suite.js';

export type BlobStoreFixture = DriverFixture<BlobStore>;

const OPTIONS: KnownOptions<BlobStoreSuiteOptions> = {
  persistent: kinds.aBoolean,
  appends: kinds.aBoolean,
};

/** Registers tests that check whether a driver fulfils the `BlobStore` contract. */
export function blobStoreSuite(
  test: TestFunction,
  open: OpenDriver<BlobStore>,
  options: BlobStoreSuiteOptions = {},
): void {
  checkOptions('blobStoreSuite()', options, OPTIONS);
  const rules = [...writeCases, ...readCases, ...changeCases, ...lifetimeCases];
  driverSuite('BlobStore', rules, test, open, options);
}
