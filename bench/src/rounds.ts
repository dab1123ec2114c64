import { sizes } from './sizes.js';

/** Does its work once and tells how fast, in any unit of which more is better. */
export type Contender = () => Promise<number>;

export interface Comparison {
  /** Medians over all rounds. */
  readonly ours: number;
  readonly against: number;
  /** The median of the rounds' own ratios, which noise on the machine disturbs least. */
  readonly ratio: number;
}

/** Measures two contenders in turn, after one round that only warms up. */
export async function compare(ours: Contender, against: Contender): Promise<Comparison> {
  const pairs: [number, number][] = [];
  for (let round = 0; round <= sizes.rounds; round++) {
    const pair: [number, number] = [await ours(), await against()];
    if (round > 0) pairs.push(pair);
  }
  return {
    ours: median(pairs.map(([mine]) => mine)),
    against: median(pairs.map(([, other]) => other)),
    ratio: median(pairs.map(([mine, other]) => mine / other)),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

/** How much of something is done in a second. */
export async function rateOf(amount: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (amount * 1000) / (performance.now() - start);
}
