import type { MetadataStore } from '@bucketware/core';
import type { Case } from './case.js';
import { commitCases } from './metadata-store-commits.js';
import { keyCases } from './metadata-store-keys.js';
import { lifetimeCases } from './metadata-store-lifetime.js';
import { valueCases } from './metadata-store-values.js';

/** An empty store of its own for one case. */
export interface MetadataStoreFixture {
  readonly store: MetadataStore;
  /** Opens the same records again after `store` was closed. Absent: they end with the store. */
  readonly reopen?: () => Promise<MetadataStore>;
  /** Runs after the case, also after a failed one. */
  cleanup(): Promise<void>;
}

export interface MetadataStoreRule {
  readonly id: string;
  readonly name: string;
  prove(store: MetadataStore, fixture: MetadataStoreFixture): Promise<void>;
}

/** All that the contract `MetadataStore` promises, as cases to run against one implementation. */
export function metadataStoreCases(create: () => Promise<MetadataStoreFixture>): Case[] {
  const rules = [...keyCases, ...valueCases, ...commitCases, ...lifetimeCases];
  return rules.map(({ id, name, prove }) => ({
    id,
    name,
    async run() {
      const fixture = await create();
      try {
        await prove(fixture.store, fixture);
      } finally {
        await fixture.cleanup();
      }
    },
  }));
}
