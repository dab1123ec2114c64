import { BlobNotFoundError, type BlobStore } from '../../contracts/blob-store.js';
import type { Change, MetadataStore } from '../../contracts/metadata-store.js';
import type { Stored } from '../records/kind.js';
import { type CopyRecord, copyRecord, storeRecord } from '../records/store-identity.js';
import { newId } from '../store.js';
import { mergeChanges } from '../transaction.js';
import type { CopySource, Drivers } from './copy-options.js';

/** The target's record of this copy, which each commit to the target expects. */
export type Claim = Stored<CopyRecord>;

/**
 * Claims an empty target, or that of an interrupted copy. If another call is still copying there,
 * that call fails.
 */
export async function claimFor(id: string, from: CopySource, to: Drivers): Promise<Claim> {
  const { metadata, blobs } = to;
  const known = await storeRecord.get(metadata);
  if (known !== undefined) {
    throw new Error(
      `The target already contains the storage ${known.value.id}. Choose an empty target.`,
    );
  }
  const before = await copyRecord.get(metadata);
  const mark = await blobs.identity();
  if (mark !== undefined && (mark !== id || before?.value.id !== id)) {
    throw new Error(
      `The blobs of the target belong to the storage ${mark}. Choose an empty blob store.`,
    );
  }
  if (before !== undefined && before.value.id !== id) {
    throw new Error(
      `The records of the target are a copy of ${before.value.id}. Choose an empty metadata store.`,
    );
  }
  if (mark === undefined) await requireEmpty(to, before !== undefined);
  else await requireOther(from.blobs, blobs);
  const value: CopyRecord = { id, run: newId() };
  const expected = copyRecord.expect(undefined, before?.version);
  const version = await metadata.commit(mergeChanges(expected, copyRecord.put(undefined, value)));
  if (version === undefined) throw new Error('Another copy to the same target has just started.');
  if (mark === undefined) await blobs.identify(id);
  return { key: copyRecord.key(), value, version };
}

async function requireEmpty({ metadata, blobs }: Drivers, isClaimed: boolean): Promise<void> {
  const records = await metadata.list({ prefix: '', limit: 2 });
  const { value: blob } = await blobs.list()[Symbol.asyncIterator]().next();
  if (records.length > (isClaimed ? 1 : 0) || blob !== undefined) {
    throw new Error('The target is not empty.');
  }
}

/**
 * Commits only while the claim holds: not once another call has taken over, or has finished and the
 * copy is in use.
 */
export async function commitAs(
  claim: Claim,
  metadata: MetadataStore,
  change: Change,
): Promise<void> {
  const expected = copyRecord.expect(undefined, claim.version);
  if ((await metadata.commit(mergeChanges(expected, change))) !== undefined) return;
  throw new Error('Another call is copying to the same target.');
}

/** Two storages on the same blobs would remove each other's data. */
async function requireOther(source: CopySource['blobs'], target: BlobStore): Promise<void> {
  const probe = newId();
  await target.write(probe, (async function* () {})());
  try {
    (await source.read(probe, { start: 0, end: 0 })).destroy();
  } catch (error) {
    if (error instanceof BlobNotFoundError) return;
    throw error;
  } finally {
    await target.remove(probe);
  }
  throw new Error(
    'Source and target have the same blobs. Choose another directory for the target.',
  );
}
