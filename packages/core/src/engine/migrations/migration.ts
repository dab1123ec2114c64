import type { Change, Entry, MetadataStore } from '../../contracts/metadata-store.js';

/**
 * Migrates the records of a store from one layout to the next. It defines both layouts itself,
 * because the types of current records change, but what earlier versions wrote does not.
 */
export interface Migration {
  /** The layout that it starts from. The next one is one higher. */
  readonly from: number;
  /** The prefix of the records to examine; `undefined` if no record has to change. */
  readonly prefix: string | undefined;
  /** The change for a record and others that belong to it. It is committed exactly once. */
  migrate(metadata: MetadataStore, entry: Entry): Promise<Change>;
}
