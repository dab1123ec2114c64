import type { MetadataStore } from '@bucketware/core/contracts';
import {
  type DriverFixture,
  type DriverSuiteOptions,
  driverSuite,
  type OpenDriver,
} from './driver-suite.js';
import { commitCases } from './metadata-store-commits.js';
import { keyCases } from './metadata-store-keys.js';
import { lifetimeCases } from './metadata-store-lifetime.js';
import { snapshotCases } from './metadata-store-snapshots.js';
import { valueCases } from './metadata-store-values.js';
import type { TestFunction } from './suite.js';

export type MetadataStoreFixture = DriverFixture<MetadataStore>;

/** Tests a driver against everything that the contract `MetadataStore` promises. */
export function metadataStoreSuite(
  test: TestFunction,
  open: OpenDriver<MetadataStore>,
  options?: DriverSuiteOptions,
): void {
  const rules = [
    ...[...keyCases, ...valueCases, ...commitCases],
    ...[...snapshotCases, ...lifetimeCases],
  ];
  driverSuite('MetadataStore', rules, test, open, options);
}
