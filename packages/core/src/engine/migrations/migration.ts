import type { Change, Entry, MetadataStore } from '../../contracts/metadata-store.js';

/**
 * Brings the records of a store from one layout to the next. It knows both layouts by itself: the types
 * of today's records change, what earlier versions wrote does not.
 */
export interface Migration {
  /** The layout that it starts from. The next one is one higher. */
  readonly from: number;
  /** The records to look at: those whose keys start with this. Undefined: none has to change. */
  readonly prefix: string | undefined;
  /** What becomes of a record, and of others that belong to it. Is committed exactly once. */
  migrate(metadata: MetadataStore, entry: Entry): Promise<Change>;
}
