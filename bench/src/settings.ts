export const KiB = 1024;
export const MiB = 1024 * KiB;

/** How much is measured. */
export interface Settings {
  /** Measured rounds of a scenario with a target; one more comes first and only warms up. */
  readonly rounds: number;
  /** Rounds of the scenarios that only show a scale. */
  readonly fewRounds: number;
  /** The length of one measurement under load. wrk counts whole seconds. */
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
