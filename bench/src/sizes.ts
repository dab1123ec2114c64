const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** `BENCH_QUICK=1` shows within a minute that everything works; its figures mean little. */
const quick = process.env.BENCH_QUICK === '1';
const size = (full: number, small: number): number => (quick ? small : full);

export const sizes = {
  /** Each server is measured so many times, in turn with those it is compared with. */
  rounds: size(7, 3),
  connections: 32,
  smallBytes: KiB,
  putsPerRound: size(4_000, 400),
  getsPerRound: size(20_000, 2_000),
  getBytes: size(512 * MiB, 32 * MiB),
  pagesPerRound: size(100, 10),
  fewObjects: 1_000,
  manyObjects: size(1_000_000, 20_000),
  largeBytes: size(5 * GiB, 64 * MiB),
  parallelUploads: size(200, 20),
  parallelBytes: 8 * MiB,
  parts: size(10_000, 200),
  copyBytes: size(GiB, 16 * MiB),
  partCopyBytes: size(5 * GiB, MiB),
  steps: size(100, 10),
} as const;
