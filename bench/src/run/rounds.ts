import { setTimeout as sleep } from 'node:timers/promises';

/** One of those that are compared. */
export interface Contender {
  readonly name: string;
  /** As it is called in the report. */
  readonly title: string;
  /** Does its work once, and returns the figure. Rounds count from 0, which only warms up. */
  measure(round: number): Promise<number>;
  /** Default: as many as all others. */
  readonly rounds?: number;
  /** The most memory that its processes had while they were measured, in bytes. */
  peakMemory?(): number | undefined;
}

export interface Series {
  readonly name: string;
  readonly title: string;
  /** One figure for each round. */
  readonly samples: readonly number[];
  readonly peakMemory?: number | undefined;
  /** Why there are no more samples. */
  readonly failure?: string | undefined;
}

/** No single measurement takes as long as this. */
const PATIENCE = 120_000;

/**
 * Measures the contenders in turn, each round beginning with another one, so that whatever else the
 * machine does meets all of them. One that fails is left out from then on.
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
        const figure = await within(PATIENCE, measure(round));
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

/** Rejects when the work takes longer. The work itself goes on. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const patience = new AbortController();
  const late = sleep(milliseconds, undefined, { signal: patience.signal }).then(() => {
    throw new Error(`It took longer than ${milliseconds / 1000} s.`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    patience.abort();
    late.catch(() => {}); // It is aborted in the ordinary case.
  }
}

/** The first lines of what went wrong, for a report. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().slice(0, 500);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** How much of something is done in a second. */
export async function rateOf(amount: number, work: () => Promise<unknown>): Promise<number> {
  return (amount * 1000) / (await timeOf(work));
}

/** How many milliseconds something takes. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
