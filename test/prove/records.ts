import { call } from '../http/raw.js';
import { failingReads, inspect } from './inspect.js';
import { NoAnswer } from './load.js';
import { injectedIn, withTraced } from './traced.js';

export interface RecordsRow {
  readonly fault: string;
  /** How many runs there were, each with the fault at another call on the file of the records. */
  readonly runs: number;
  readonly injected: number;
  /** Servers that did not open because of the fault. */
  readonly notOpened: number;
  readonly acknowledged: number;
  /** Failed responses until the storage was opened again, by status. */
  readonly answers: Readonly<Record<string, number>>;
  /** Changes that succeeded after one had failed, before the storage was opened again. */
  readonly late: number;
  readonly failedReads: number;
  /** Changes that failed after the storage was closed and opened again in the same process. */
  readonly failedAfter: number;
  readonly broken: number;
  readonly orphans: number;
  readonly unanswered: number;
  readonly examples: readonly string[];
}

export interface RecordsFault {
  /** The call, in the syntax of strace. LMDB writes its root with pwrite64. */
  readonly call: string;
  readonly error: string;
  readonly at: readonly number[];
}

export const RECORDS_FAULTS: readonly RecordsFault[] = [
  { call: 'pwrite64', error: 'EIO', at: [1, 2, 3, 5, 8] },
  { call: 'writev', error: 'EIO', at: [1, 2, 5] },
  { call: 'fdatasync', error: 'EIO', at: [1, 2, 5] },
  { call: 'pwrite64', error: 'ENOSPC', at: [1, 2, 3, 4, 5, 8] },
];

const CALLS = 12;

/**
 * Makes the k-th write or sync of the records fail, and checks what works before and after the
 * storage is opened again.
 */
export async function failRecords(
  work: string,
  { call: name, error, at: all }: RecordsFault,
  seed: number,
): Promise<RecordsRow> {
  const answers: Record<string, number> = {};
  const examples: string[] = [];
  const row = {
    ...{ injected: 0, notOpened: 0, acknowledged: 0, late: 0, failedReads: 0 },
    ...{ failedAfter: 0, broken: 0, orphans: 0, unanswered: 0 },
  };
  for (const at of all) {
    const injection = { calls: name, fault: `error=${error}`, at, file: 'records/data.mdb' };
    await withTraced(work, injection, seed, async ({ directory, load, server, log }) => {
      const change = async (count: number) => {
        await load.one(server?.origin ?? '', `k0/${count % 5}`).catch((failure: Error) => {
          if (failure instanceof NoAnswer) row.unanswered++;
          examples.push(failure.message.slice(0, 120));
        });
      };
      if (server === undefined) row.notOpened++;
      else {
        let failedAt: number | undefined;
        for (let count = 0; count < CALLS && row.unanswered < 3; count++) {
          await change(count);
          if (load.refusals.size > 0) failedAt ??= load.acknowledged;
        }
        row.late += failedAt === undefined ? 0 : load.acknowledged - failedAt;
        for (const [status, times] of load.refusals)
          answers[status] = (answers[status] ?? 0) + times;
        row.failedReads += await failingReads(server.origin, load);
        load.refusals.clear();
        await call(server.origin, 'POST', '/reopen');
        for (let count = 0; count < CALLS && row.unanswered < 3; count++) await change(count);
        for (const times of load.refusals.values()) row.failedAfter += times;
      }
      row.injected += injectedIn(await log()).length;
      row.acknowledged += load.acknowledged;
      const found = await inspect(directory, load, load.bounds(load.answeredNow()));
      row.broken += found.broken.length + found.missing;
      row.orphans += found.orphans;
      examples.push(...found.broken.slice(0, 1));
    });
  }
  const fault = `${name} of the metadata fails with ${error}`;
  return { fault, runs: all.length, ...row, answers, examples: examples.slice(0, 4) };
}
