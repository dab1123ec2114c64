import { checkOptions } from '../../options.js';
import { copyRecord, storeRecord } from '../records/store-identity.js';
import { mergeChanges } from '../transaction.js';
import { claimFor, commitAs } from './claim.js';
import { Copy } from './copy.js';
import { COPY_OPTIONS, type CopyOptions, type CopyReport } from './copy-options.js';
import { finishCopy } from './finish.js';

/** If this many passes all find changes, the source is in use and the copy would never catch up. */
const MAX_PASSES = 10;

const NOTHING: CopyReport = { passes: 0, blobs: 0, bytes: 0, records: 0 };

/**
 * Copies all records and blobs unchanged to other drivers. Passes are repeated until one finds
 * nothing to change, so writes to the source must stop before the end. The identity is copied last,
 * so an unfinished copy does not open as a storage.
 *
 * Takes about 200 bytes of memory for each blob. Rejects when the target belongs to another
 * storage, or is a finished copy, which may be in use. If only the last step of an earlier call
 * failed, it is repeated.
 */
export async function copyStore(options: CopyOptions): Promise<CopyReport> {
  checkOptions('copyStore()', options, COPY_OPTIONS);
  const { from, to } = options;
  const identity = await storeRecord.get(from.metadata);
  if (identity === undefined)
    throw new Error('There is nothing to copy: the source is not a storage.');
  const { id } = identity.value;
  if (await finishCopy(id, options)) return NOTHING;
  const claim = await claimFor(id, to);
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
  await to.blobs.identify(id);
  return run.report;
}
