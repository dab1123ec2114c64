import type { Change, MetadataStore } from '../../contracts/metadata-store.js';
import type { Stored } from '../records/kind.js';
import { type CopyRecord, copyRecord, storeRecord } from '../records/store-identity.js';
import { newId } from '../store.js';
import { mergeChanges } from '../transaction.js';
import type { Drivers } from './copy-options.js';

/** The target's record of this copy, which each commit to the target expects. */
export type Claim = Stored<CopyRecord & { readonly mark: string }>;

/**
 * Claims an empty target, or that of an interrupted copy. If another call is still copying there,
 * that call fails.
 */
export async function claimFor(id: string, to: Drivers): Promise<Claim> {
  const { metadata, blobs } = to;
  await requireUnused(metadata);
  const before = await copyRecord.get(metadata);
  const owner = await blobs.identity();
  // Otherwise, the copy would remove the blobs of a storage that is in use.
  if (owner !== undefined && owner !== before?.value.mark) {
    throw new Error(
      `The blobs of the target belong to the storage ${owner}. ${before === undefined ? NEW : OLD}`,
    );
  }
  if (before !== undefined && before.value.id !== id) {
    throw new Error(
      `The records of the target are a copy of ${before.value.id}. Choose an empty target.`,
    );
  }
  if (owner === undefined) await requireEmpty(to, before !== undefined);
  const mark = before?.value.mark ?? `unfinished-copy-${newId()}`;
  const value = { id, run: newId(), mark };
  const version = await metadata.commit(
    mergeChanges(
      copyRecord.expect(undefined, before?.version),
      // An app may have opened the target meanwhile.
      storeRecord.expect(undefined, undefined),
      copyRecord.put(undefined, value),
    ),
  );
  if (version === undefined) {
    await requireUnused(metadata);
    throw new Error('Another copy to the same target has just started.');
  }
  if (owner === undefined) await blobs.identify(mark);
  return { key: copyRecord.key(), value, version };
}

const NEW = 'Choose an empty blob store.';
const OLD =
  'Choose an empty target: an interrupted copy continues only with its own blobs, and not if an ' +
  'earlier version began it.';

async function requireUnused(metadata: MetadataStore): Promise<void> {
  const known = await storeRecord.get(metadata);
  if (known === undefined) return;
  throw new Error(
    `The target already contains the storage ${known.value.id}. Choose an empty target.`,
  );
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
