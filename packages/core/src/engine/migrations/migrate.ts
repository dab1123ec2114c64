import type { MetadataStore } from '../../contracts/metadata-store.js';
import { after } from '../records/keys.js';
import { RecordDamagedError, type Stored } from '../records/kind.js';
import { type StoreRecord, storeRecord } from '../records/store-identity.js';
import { mergeChanges } from '../transaction.js';
import type { Migration } from './migration.js';
import { toLayout3 } from './to-layout-3.js';
import { toLayout4 } from './to-layout-4.js';

/** The migrations in order: a store passes through every layout after its own. */
const MIGRATIONS: readonly Migration[] = [toLayout3, toLayout4];

const OLDEST = (MIGRATIONS[0] as Migration).from;

/** The layout that this version reads and writes. */
export const LAYOUT = OLDEST + MIGRATIONS.length;

/** How many records one commit rewrites. A setting may have a megabyte. */
const PAGE = 50;

/** Throws when this version can neither read nor migrate the records. */
export function requireKnownLayout({ layout }: StoreRecord): void {
  if (layout > LAYOUT) {
    throw new Error(
      `These records were written by a later version of Bucketware: they have layout ${layout}, and this ` +
        `version reads layouts up to ${LAYOUT}. Run that version, or restore a backup from before it.`,
    );
  }
  if (layout < OLDEST) {
    throw new Error(
      `The records have layout ${layout}; this version reads layouts from ${OLDEST} on.`,
    );
  }
}

/**
 * Migrates the records to the layout of this version, page by page. The progress is committed with
 * each page, so the migration continues after a crash. Each commit expects the known progress: if
 * several processes open the store at once, one migrates a page and the others notice.
 */
export async function migrate(metadata: MetadataStore): Promise<void> {
  for (;;) {
    const store = await storeRecord.get(metadata);
    if (store === undefined) throw new Error('The records of this storage no longer exist.');
    requireKnownLayout(store.value);
    const { layout, migrating } = store.value;
    if (migrating !== undefined) await migratePage(metadata, store, migrating.after);
    else if (layout < LAYOUT) await begin(metadata, store);
    else return;
  }
}

/**
 * From here on, earlier versions reject the records, because they could not read them correctly.
 */
async function begin(metadata: MetadataStore, { value, version }: Stored<StoreRecord>) {
  const begun = { ...value, layout: value.layout + 1, migrating: { after: '' } };
  const mark = storeRecord.put(undefined, begun);
  await metadata.commit(mergeChanges(storeRecord.expect(undefined, version), mark));
}

async function migratePage(
  metadata: MetadataStore,
  { value, version }: Stored<StoreRecord>,
  done: string,
): Promise<void> {
  const { migrating: _, ...finished } = value;
  const { prefix, migrate } = MIGRATIONS[value.layout - 1 - OLDEST] as Migration;
  const start = done === '' ? undefined : after(done);
  const page = prefix === undefined ? [] : await metadata.list({ prefix, start, limit: PAGE });
  const last = page.at(-1);
  const progress =
    last === undefined || page.length < PAGE
      ? finished
      : { ...finished, migrating: { after: last.key } };
  const changes = await Promise.all(page.map((entry) => migrate(metadata, entry))).catch(
    async (error: unknown) => {
      // If another process has migrated the page meanwhile, its records have the new form.
      const isDamage = error instanceof RecordDamagedError;
      if (isDamage && (await storeRecord.get(metadata))?.version !== version) return undefined;
      throw error;
    },
  );
  if (changes === undefined) return;
  await metadata.commit(
    mergeChanges(
      storeRecord.expect(undefined, version),
      storeRecord.put(undefined, progress),
      ...changes,
    ),
  );
}
