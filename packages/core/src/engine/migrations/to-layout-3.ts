import type { Migration } from './migration.js';

/** Buckets that are made from here on have ids. Those that are there stay as they are. */
export const toLayout3: Migration = {
  from: 2,
  prefix: undefined,
  migrate: async () => ({}),
};
