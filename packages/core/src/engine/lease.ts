import { leaseRecord } from './records/lease.js';
import type { Store } from './store.js';
import { mergeChanges } from './transaction.js';

const LASTS = 60_000;

/**
 * A lease that ends later than this is not waited for: the clock of its process was wrong. Longer
 * than any difference between clocks that are kept in sync.
 */
const MOST_AHEAD = 24 * 60 * 60_000;

/**
 * Acquires or renews the lease for the storage's background jobs. Only one process on a store has
 * it; when that process dies, another gets it a minute later.
 */
export async function holdLease({ metadata, writer, now }: Store): Promise<boolean> {
  const lease = await leaseRecord.get(metadata);
  const left = lease && lease.value.holder !== writer ? lease.value.until - now() : 0;
  if (left > 0 && left < MOST_AHEAD) return false;
  const change = mergeChanges(
    leaseRecord.expect(undefined, lease?.version),
    leaseRecord.put(undefined, { holder: writer, until: now() + LASTS }),
  );
  return (await metadata.commit(change)) !== undefined;
}

/**
 * Releases the lease, if this process still has it. The record stays: on a full disk, there may be
 * space to replace a record, but not for a new one.
 */
export async function releaseLease({ metadata, writer }: Store): Promise<void> {
  const lease = await leaseRecord.get(metadata);
  if (lease?.value.holder !== writer) return;
  const over = leaseRecord.put(undefined, { holder: writer, until: 0 });
  await metadata.commit(mergeChanges(leaseRecord.expect(undefined, lease.version), over));
}
