import { setTimeout as sleep } from 'node:timers/promises';

/** One of the things that are compared. */
export interface Contender {
  readonly name: string;
  /** The name in the report. */
  readonly title: string;
  /** Does the work once, and resolves to the figure. Round 0 is only a warm-up. */
  measure(round: number): Promise<number>;
  /** The number of rounds. Default: the same as for all others. */
  readonly rounds?: number;
  /** The peak memory of its processes while they were measured, in bytes. */
  peakMemory?(): number | undefined;
}

export interface Series {
  readonly name: string;
  readonly title: string;
  /** One figure for each round. */
  readonly samples: readonly number[];
  readonly peakMemory?: number | undefined;
  /** Why there are no further samples. */
  readonly failure?: string | undefined;
}

/** The time limit of a single measurement, in milliseconds. */
const TIMEOUT = 120_000;

/**
 * Measures the contenders in turn, each round beginning with a different one, so that other
 * activity on the machine affects all of them. A contender that fails is omitted from then on.
 */
export async function interleave(
  contenders: readonly Contender[],
  rounds: number,
  { warmUp = true } = {},
): Promise<Series[]> {
  const series = contenders.map(({ name, title }) => ({ name, title, samples: [] as number[] }));
  const failures = new Map<string, string>();
  for (let round = warmUp ? 0 : 1; round <= rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const at = (turn + round) % contenders.length;
      const { name, measure, rounds: most = rounds } = contenders[at] as Contender;
      if (failures.has(name) || round > most) continue;
      try {
        const figure = await within(TIMEOUT, measure(round));
        if (round > 0) series[at]?.samples.push(figure);
      } catch (error) {
        failures.set(name, messageOf(error));
      }
    }
  }
  return series.map((one, at) => ({
    ...one,
    peakMemory: contenders[at]?.peakMemory?.(),
    failure: failures.get(one.name),
  }));
}

/** Rejects if the work takes longer. The work itself continues. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = sleep(milliseconds, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`It took longer than ${milliseconds / 1000} s.`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
    late.catch(() => {}); // Usually aborted.
  }
}

/** The first lines of an error, for a report. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().slice(0, 500);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Resolves to the amount of work done in a second. */
export async function rateOf(amount: number, work: () => Promise<unknown>): Promise<number> {
  return (amount * 1000) / (await timeOf(work));
}

/** Resolves to the duration of the work, in milliseconds. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
