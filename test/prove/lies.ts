import { inspect } from './inspect.js';
import { injectedIn, withTraced } from './traced.js';

export interface LiesRow {
  readonly runs: number;
  /** Writes that the system reported as two bytes long, although it wrote nothing. */
  readonly ofBlobs: number;
  readonly ofRecords: number;
  readonly acknowledged: number;
  /** Keys whose read failed: the damage was detected. */
  readonly loud: number;
  /** Keys with wrong data. */
  readonly silent: number;
  readonly examples: readonly string[];
}

const AT = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
const CALLS = 16;

/** A short write that is reported may not even have written the reported bytes. */
export async function testFalseWrites(work: string, seed: number): Promise<LiesRow> {
  const row = { ofBlobs: 0, ofRecords: 0, acknowledged: 0, loud: 0, silent: 0 };
  const examples: string[] = [];
  for (const at of AT) {
    const injection = { calls: 'pwrite64', fault: 'retval=2', at };
    await withTraced(work, injection, seed, async ({ directory, load, server, log }) => {
      for (let count = 0; server && count < CALLS; count++) {
        await load.one(server.origin, `k0/${count}`).catch((error: Error) => {
          examples.push(error.message.slice(0, 120));
        });
      }
      for (const line of injectedIn(await log())) {
        if (line.includes('/records/')) row.ofRecords++;
        else row.ofBlobs++;
      }
      row.acknowledged += load.acknowledged;
      const found = await inspect(directory, load, load.bounds(load.answeredNow()));
      row.loud += found.loud;
      row.silent += found.silent;
      if (found.silent > 0) examples.push(...found.broken.slice(0, 1));
    });
  }
  return { runs: AT.length, ...row, examples: examples.slice(0, 4) };
}
