import { lmdbMetadata } from '@bucketware/lmdb';
import { inspect } from './inspect.js';
import { NoAnswer } from './load.js';
import { withTraced } from './traced.js';

export interface FaultRow {
  readonly fault: string;
  /** How many runs there were, each with the fault at another call. */
  readonly runs: number;
  /** How many system calls failed. */
  readonly injected: number;
  readonly acknowledged: number;
  /** Failed responses, by status. */
  readonly answers: Readonly<Record<string, number>>;
  /** Acknowledged writes that are lost or damaged after a restart. */
  readonly broken: number;
  /** Syncs of a file or directory after one of its syncs had failed. */
  readonly retried: number;
  /** Files with a failed sync that a record names. */
  readonly poisoned: number;
  readonly orphans: number;
  /** Calls without a response after 8 seconds. */
  readonly unanswered: number;
  readonly examples: readonly string[];
}

export interface Fault {
  readonly name: string;
  /** The calls, in the syntax of strace. */
  readonly calls: string;
  readonly error: string;
  readonly at: readonly number[];
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'fsync fails with EIO',
    calls: 'fsync',
    error: 'error=EIO',
    at: [1, 2, 3, 4, 5, 6, 8, 10, 13],
  },
  {
    name: 'fsync fails with ENOSPC',
    calls: 'fsync',
    error: 'error=ENOSPC',
    at: [1, 2, 3, 4, 6, 9],
  },
  { name: 'every fourth fsync fails with EIO', calls: 'fsync', error: 'error=EIO', at: [-4] },
  {
    name: 'fdatasync fails with EIO (appends, metadata)',
    calls: 'fdatasync',
    error: 'error=EIO',
    at: [1, 2, 3, 5, 8],
  },
  {
    name: 'a write fails with ENOSPC',
    calls: 'pwrite64',
    error: 'error=ENOSPC',
    at: [1, 2, 4, 7, 11],
  },
];

const CALLS = 24;

/** Makes the k-th call of a kind fail in a running server, and checks what it reports and keeps. */
export async function failCalls(work: string, fault: Fault, seed: number): Promise<FaultRow> {
  const answers: Record<string, number> = {};
  const row = {
    injected: 0,
    acknowledged: 0,
    broken: 0,
    retried: 0,
    poisoned: 0,
    orphans: 0,
    unanswered: 0,
  };
  const examples: string[] = [];
  for (const at of fault.at) {
    const injection = { calls: fault.calls, fault: fault.error, at };
    await withTraced(work, injection, seed, async ({ directory, load, server, log }) => {
      for (let count = 0; server && count < CALLS && row.unanswered < 3; count++) {
        await load.one(server.origin, `k0/${count % 3}`).catch((error: Error) => {
          if (error instanceof NoAnswer) row.unanswered++;
          examples.push(error.message.slice(0, 120));
        });
      }
      const { failed, retried } = readLog(await log());
      for (const [status, times] of load.refusals) answers[status] = (answers[status] ?? 0) + times;
      row.acknowledged += load.acknowledged;
      row.injected += failed.length;
      row.retried += retried.length;
      const named = await blobsOfRecords(directory);
      row.poisoned += failed.filter((path) =>
        named.has(path.slice(path.lastIndexOf('/') + 1)),
      ).length;
      const found = await inspect(directory, load, load.bounds(load.answeredNow()));
      row.broken += found.broken.length + found.missing;
      row.orphans += found.orphans;
      examples.push(...found.broken.slice(0, 1), ...retried.slice(0, 1));
    });
  }
  return {
    fault: fault.name,
    runs: fault.at.length,
    ...row,
    answers,
    examples: examples.slice(0, 4),
  };
}

/** Paths whose sync failed, and those that were synced again later. */
function readLog(text: string): { failed: string[]; retried: string[] } {
  const failed: string[] = [];
  const retried: string[] = [];
  for (const line of text.split('\n')) {
    const found = /(fsync|fdatasync|pwrite64)\(\d+<([^>]+)>.*= (-?\d+)(.*)/.exec(line);
    if (found === null) continue;
    const [, name = '', path = '', , rest = ''] = found;
    // Each commit syncs the file of the records again.
    if (name !== 'pwrite64' && failed.includes(path) && !path.includes('/records'))
      retried.push(path);
    if (rest.includes('INJECTED')) failed.push(path);
  }
  return { failed, retried };
}

async function blobsOfRecords(directory: string): Promise<ReadonlySet<string>> {
  const records = await lmdbMetadata({ directory: `${directory}/records` });
  const named = new Set<string>();
  for (const prefix of ['o/', 'p/']) {
    for (const { value } of await records.list({ prefix, limit: 100_000 })) {
      const { content } = value as { content: { segments?: { blob: string }[] } };
      for (const { blob } of content.segments ?? []) named.add(blob);
    }
  }
  await records.close();
  return named;
}
