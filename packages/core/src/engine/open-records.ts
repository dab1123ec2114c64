import { setTimeout as sleep } from 'node:timers/promises';
import { LAYOUT, migrate, requireKnownLayout } from './migrations/migrate.js';
import type { Stored } from './records/kind.js';
import { copyRecord, type StoreRecord, storeRecord } from './records/store-identity.js';
import { newId, type Store } from './store.js';
import { mergeChanges } from './transaction.js';

type Drivers = Pick<Store, 'metadata' | 'blobs'>;

/** How often an opening looks whether another one has marked the blobs of a new storage: for 5 s. */
const MOST_LOOKS = 250;
const PAUSE_MS = 20;

/**
 * Checks that metadata and blobs belong together, or marks both if both are new. Migrates the
 * records of an earlier version. Resolves to the id of the storage. Throws when they do not match:
 * with the wrong metadata, every blob would look like garbage.
 */
export const openRecords = (drivers: Drivers): Promise<string> => open(drivers, newId());

/** Another opening, and how often this one has looked whether it has marked the blobs. */
interface Waiting {
  readonly claimant: string;
  readonly looks: number;
}

/** `own`: the id of this opening. */
async function open(drivers: Drivers, own: string, waiting?: Waiting): Promise<string> {
  const { metadata, blobs } = drivers;
  const mark = await blobs.identity();
  const entry = await storeRecord.get(metadata);
  if (entry === undefined) {
    if ((await copyRecord.get(metadata)) !== undefined) {
      throw new Error(
        'This is an unfinished copy of a storage. Call copyStorage() or restoreStorage() again to ' +
          'finish it, or start with empty records and an empty directory.',
      );
    }
    if (mark !== undefined) {
      throw new Error(
        `The blobs belong to the storage ${mark}, but the records are empty. ` +
          'Open the records that belong to these blobs, or start with an empty directory. If an ' +
          'earlier version stored them in a database, docs/upgrading.md describes how to open them.',
      );
    }
    const { value: blob } = await blobs.list()[Symbol.asyncIterator]().next();
    if (blob !== undefined) {
      // Another process that opens the same new storage may have written it meanwhile.
      if ((await blobs.identity()) !== undefined) return open(drivers, own);
      throw new Error(
        'The blob store contains blobs that belong to no storage, such as those of a backup. ' +
          'Restore the backup with restoreStorage(), or start with an empty directory.',
      );
    }
    const identity = { id: newId(), layout: LAYOUT };
    const first = replaced(undefined, { ...identity, claimed: false, claimant: own });
    // A copy to these records may have begun meanwhile. It would remove what is stored here.
    await metadata.commit(mergeChanges(copyRecord.expect(undefined, undefined), first));
    return open(drivers, own);
  }
  const { mark: expected, claimant, ...record } = entry.value;
  requireKnownLayout(record);
  if (mark !== record.id && (mark !== expected || record.claimed)) {
    // Another process that opens the same new storage may have marked the blobs meanwhile.
    if (mark !== (await blobs.identity())) return open(drivers, own);
    throw new Error(
      `The records belong to the storage ${record.id}, the blobs to ${mark ?? 'none'}. ` +
        'Open records and blobs that belong together.',
    );
  }
  if (mark !== record.id) {
    // If each opening marked its blobs, several hosts with directories of their own would all open.
    if (claimant !== undefined && claimant !== own) {
      const looks = waiting?.claimant === claimant ? waiting.looks : 0;
      return waitOrClaim(drivers, own, entry, { claimant, looks });
    }
    await blobs.identify(record.id);
  }
  if (record.claimed) {
    await migrate(metadata);
    return record.id;
  }
  await metadata.commit(replaced(entry, { ...record, claimed: true }));
  return open(drivers, own);
}

/** Waits for the opening that marks the blobs, or takes its place: it may have crashed. */
async function waitOrClaim(
  drivers: Drivers,
  own: string,
  entry: Stored<StoreRecord>,
  { claimant, looks }: Waiting,
): Promise<string> {
  if (looks < MOST_LOOKS) {
    await sleep(PAUSE_MS);
    return open(drivers, own, { claimant, looks: looks + 1 });
  }
  await drivers.metadata.commit(replaced(entry, { ...entry.value, claimant: own }));
  return open(drivers, own);
}

const replaced = (entry: Stored<StoreRecord> | undefined, record: StoreRecord) =>
  mergeChanges(storeRecord.expect(undefined, entry?.version), storeRecord.put(undefined, record));
