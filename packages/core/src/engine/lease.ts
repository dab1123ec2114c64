import { LEASE_KEY } from './records/keys.js';
import type { Store } from './store.js';

interface LeaseRecord {
  readonly holder: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

const LASTS = 60_000;

/**
 * Takes or renews the right to do the storage's background work. Of several processes on one store
 * one has it; when it dies, another gets it a minute later.
 */
export async function holdLease({ metadata, writer, now }: Store): Promise<boolean> {
  const entry = await metadata.get(LEASE_KEY);
  const lease = entry?.value as LeaseRecord | undefined;
  if (lease !== undefined && lease.holder !== writer && lease.until > now()) return false;
  const version = await metadata.commit({
    expect: [{ key: LEASE_KEY, version: entry?.version }],
    put: [{ key: LEASE_KEY, value: { holder: writer, until: now() + LASTS } }],
  });
  return version !== undefined;
}

/** Gives the right back, if it is still ours. */
export async function releaseLease({ metadata, writer }: Store): Promise<void> {
  const entry = await metadata.get(LEASE_KEY);
  if (entry === undefined || (entry.value as LeaseRecord).holder !== writer) return;
  const expect = [{ key: LEASE_KEY, version: entry.version }];
  await metadata.commit({ expect, delete: [LEASE_KEY] });
}
