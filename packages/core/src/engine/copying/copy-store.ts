import { checkOptions } from '../../options.js';
import { copyRecord, storeRecord } from '../records/store-identity.js';
import { mergeChanges } from '../transaction.js';
import { claimFor, commitAs } from './claim.js';
import { Copy } from './copy.js';
import { COPY_OPTIONS, type CopyOptions, type CopyReport } from './copy-options.js';

/** If this many passes all find changes, the source is in use and the copy would never catch up. */
const MAX_PASSES = 10;

/**
 * Copies all records and blobs unchanged to other drivers. Passes are repeated until one finds
 * nothing to change, so writes to the source must stop before the end. The identity is copied last,
 * so an unfinished copy does not open as a storage.
 *
 * Takes about 200 bytes of memory for each blob. Rejects when the target belongs to another
 * storage, or is a finished copy, which may be in use.
 */
export async function copyStore(options: CopyOptions): Promise<CopyReport> {
  checkOptions('copyStore()', options, COPY_OPTIONS);
  const { from, to } = options;
  const identity = await storeRecord.get(from.metadata);
  if (identity === undefined)
    throw new Error('There is nothing to copy: the source is not a storage.');
  const claim = await claimFor(identity.value.id, to);
  const run = new Copy(options, claim);
  await run.begin();
  do {
    if (run.report.passes === MAX_PASSES) {
      throw new Error('The source is still being changed. Stop its writers, and call again.');
    }
  } while (await run.pass());
  await run.end();
  // After a crash between the two steps, the storage claims its blobs when it is opened.
  const { mark } = claim.value;
  const copied = storeRecord.put(undefined, { ...identity.value, claimed: false, mark });
  await commitAs(claim, to.metadata, mergeChanges(copyRecord.delete(undefined), copied));
  await to.blobs.identify(identity.value.id);
  return run.report;
}
