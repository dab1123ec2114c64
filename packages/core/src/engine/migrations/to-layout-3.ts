import type { Migration } from './migration.js';

/** New buckets have ids from this layout on. Existing buckets stay unchanged. */
export const toLayout3: Migration = {
  from: 2,
  prefix: undefined,
  migrate: async () => ({}),
};
