import { createHash } from 'node:crypto';

/** What a writer writes. The test computes the expected records from the same numbers. */
export interface Put {
  readonly key: string;
  readonly value: unknown;
}

/** The lanes of each writer. A lane makes one commit after the other. */
export const LANES = 3;

const MOST_RECORDS = 6;

/** How many numbers the log of the counter keeps. */
export const LOG = 64;

/**
 * Commit `n` of a lane replaces the records of the previous one: one to six records, some of them
 * large. All of them must always belong to the same commit.
 */
export function laneCommit(lane: string, n: number): { put: Put[]; delete: string[] } {
  const dice = createHash('sha256').update(`${lane} ${n}`).digest();
  const count = 1 + ((dice[0] as number) % MOST_RECORDS);
  const put = Array.from({ length: count }, (_, at) => {
    const size = dice[at + 1] as number;
    const text = `${n}.`.repeat(size % 16 === 0 ? 5000 : size / 4);
    return { key: `${prefixOf(lane)}${at}`, value: { n, at, text } };
  });
  const gone = Array.from(
    { length: MOST_RECORDS - count },
    (_, at) => prefixOf(lane) + (count + at),
  );
  return { put, delete: gone };
}

export const prefixOf = (lane: string): string => `lane/${lane}/`;

/** Records that never change, so that the tree has several levels. */
export const BASE: readonly Put[] = Array.from({ length: 1200 }, (_, n) => ({
  key: `base/${String(n * 7919).padStart(8, '0')}`,
  value: n,
}));

export const COUNTER = 'counter';

export const logKey = (n: number): string => `log/${String(n % LOG).padStart(2, '0')}`;
