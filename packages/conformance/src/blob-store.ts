import type { BlobStore } from '@bucketware/core';
import { changeCases } from './blob-store-changes.js';
import { lifetimeCases } from './blob-store-lifetime.js';
import { readCases } from './blob-store-reads.js';
import { writeCases } from './blob-store-writes.js';
import type { Case } from './case.js';

/** An empty store of its own for one case. */
export interface BlobStoreFixture {
  readonly store: BlobStore;
  /** Opens the same bytes again after `store` was closed. Absent: they end with the store. */
  readonly reopen?: () => Promise<BlobStore>;
  /** Runs after the case, also after a failed one. */
  cleanup(): Promise<void>;
}

export interface BlobStoreRule {
  readonly id: string;
  readonly name: string;
  prove(store: BlobStore, fixture: BlobStoreFixture): Promise<void>;
}

/** All that the contract `BlobStore` promises, as cases to run against one implementation. */
export function blobStoreCases(create: () => Promise<BlobStoreFixture>): Case[] {
  const rules = [...writeCases, ...readCases, ...changeCases, ...lifetimeCases];
  return rules.map(({ id, name, prove }) => ({
    id,
    name,
    async run() {
      const fixture = await create();
      try {
        await prove(fixture.store, fixture);
      } finally {
        await fixture.store.close();
        await fixture.cleanup();
      }
    },
  }));
}
