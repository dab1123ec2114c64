import { checkOptions, kinds, type MetadataStore } from '@bucketware/core/contracts';
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

/** Registers tests that check whether a driver fulfils the `MetadataStore` contract. */
export function metadataStoreSuite(
  test: TestFunction,
  open: OpenDriver<MetadataStore>,
  options: DriverSuiteOptions = {},
): void {
  checkOptions('metadataStoreSuite()', options, { persistent: kinds.aBoolean });
  const rules = [
    ...[...keyCases, ...valueCases, ...commitCases],
    ...[...snapshotCases, ...lifetimeCases],
  ];
  driverSuite('MetadataStore', rules, test, open, options);
}
