export const KiB = 1024;
export const MiB = 1024 * KiB;

/** The amounts and sizes to measure. */
export interface Settings {
  /** The number of measured rounds of a scenario with a target, after one round of warm-up. */
  readonly rounds: number;
  /** The number of rounds of scenarios that only show orders of magnitude. */
  readonly fewRounds: number;
  /** The duration of one measurement under load. For wrk, it must be a whole number. */
  readonly seconds: number;
  readonly largeBytes: number;
  readonly manyKeys: number;
  readonly someKeys: number;
  readonly folders: number;
  readonly parts: number;
  readonly deletes: number;
  readonly slowClients: number;
  readonly uploads: number;
}

export const FULL: Settings = {
  rounds: 5,
  fewRounds: 3,
  seconds: 1,
  largeBytes: 512 * MiB,
  manyKeys: 1_000_000,
  someKeys: 100_000,
  folders: 1_000,
  parts: 10_000,
  deletes: 2_000,
  slowClients: 500,
  uploads: 200,
};

export const QUICK: Settings = {
  rounds: 1,
  fewRounds: 1,
  seconds: 1,
  largeBytes: 32 * MiB,
  manyKeys: 20_000,
  someKeys: 5_000,
  folders: 1_000,
  parts: 200,
  deletes: 300,
  slowClients: 20,
  uploads: 20,
};
