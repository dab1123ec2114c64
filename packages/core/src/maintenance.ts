import { resolve } from 'node:path';
import type { BackupOptions, BackupReport } from './engine/backup/backup-options.js';
import { takeBackup } from './engine/backup/take.js';
import { type SweepResult, sweep } from './engine/garbage/sweep.js';
import { type ScrubOptions, type ScrubReport, scrub } from './engine/integrity/scrub.js';
import { holdLease, releaseLease } from './engine/lease.js';
import { explainLifecycle, type LifecycleExplanation } from './engine/lifecycle/explain.js';
import {
  type LifecycleOptions,
  type LifecycleReport,
  runLifecycle,
} from './engine/lifecycle/run.js';
import type { Store } from './engine/store.js';
import { checkOptions, type KnownOptions, kinds } from './options.js';

/** Background jobs that your app starts and stops. */
export interface Maintenance {
  /**
   * Applies lifecycle rules and removes garbage at regular intervals. `every` is the interval in
   * milliseconds, from 1 to 2,147,483,647. If several processes use one store, only one of them
   * works at a time.
   */
  start(options: { readonly every: number }): void;
  /** Stops the jobs. Resolves once a running job has ended. */
  stop(): Promise<void>;
}

/** The lifecycle rules of all buckets. */
export interface Lifecycle {
  /**
   * Applies the rules of all buckets now. Damaged records are reported to `onError` and skipped.
   * Rejects with a TypeError for an invalid option.
   */
  run(options?: LifecycleOptions): Promise<LifecycleReport>;
  /**
   * Resolves to the rule that will remove an object, and when; to `undefined` if no rule will.
   * Rejects with NoSuchBucket or NoSuchKey.
   */
  explain(bucket: string, key: string): Promise<LifecycleExplanation | undefined>;
}

const SCRUB_OPTIONS: KnownOptions<ScrubOptions> = {
  bucket: kinds.text,
  after: kinds.text,
  signal: kinds.signal,
  bytesPerSecond: {
    is: 'a number above 0',
    fits: (value) => typeof value === 'number' && value > 0,
  },
  onDamage: kinds.aFunction,
  onProgress: kinds.aFunction,
};

const LIFECYCLE_OPTIONS: KnownOptions<LifecycleOptions> = {
  now: kinds.date,
  dryRun: kinds.aBoolean,
  maxDeletions: kinds.whole(),
  onProgress: kinds.aFunction,
  onAction: kinds.aFunction,
};

const BACKUP_OPTIONS: KnownOptions<BackupOptions> = {
  onProgress: kinds.aFunction,
  signal: kinds.signal,
};

export interface BackgroundJobs {
  readonly maintenance: Maintenance;
  readonly lifecycle: Lifecycle;
  sweep(): Promise<SweepResult>;
  scrub(options?: ScrubOptions): Promise<ScrubReport>;
  backup(directory: string, options?: BackupOptions): Promise<BackupReport>;
  /** Ends all background jobs. */
  stop(): Promise<void>;
}

export interface BackgroundJobsOptions {
  /** The interval between removals of garbage, in milliseconds; `false` leaves them to the app. */
  readonly sweepEvery: number | false;
  readonly onError: (error: unknown) => void;
}

export function createBackgroundJobs(
  store: Store,
  { sweepEvery, onError }: BackgroundJobsOptions,
): BackgroundJobs {
  const stopping = new AbortController();
  const sweepNow = shared(() => sweep(store, stopping.signal));
  const maintain = shared(async () => {
    if (!(await holdLease(store))) return;
    const onProgress = async () => {
      if (!(await holdLease(store))) throw new Error('Another process took over the maintenance.');
    };
    await runLifecycle(store, { onProgress }, onError);
    await sweepNow();
  });

  const repeat = (every: number, work: () => Promise<unknown>) =>
    setInterval(() => void work().catch(onError), every).unref();
  const sweeping = sweepEvery === false ? undefined : repeat(sweepEvery, sweepNow);
  let maintaining: NodeJS.Timeout | undefined;
  const running = new Set<Promise<unknown>>();
  const untilStopped = <T>(
    given: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const signals = [stopping.signal, ...(given ? [given] : [])];
    const run = work(AbortSignal.any(signals)).finally(() => running.delete(run));
    running.add(run);
    return run;
  };

  return {
    sweep: sweepNow,
    async scrub(options = {}) {
      checkOptions('storage.scrub()', options, SCRUB_OPTIONS);
      return untilStopped(options.signal, (signal) =>
        scrub(store, { ...options, signal }, onError),
      );
    },
    async backup(directory, options = {}) {
      if (!kinds.text.fits(directory)) throw new TypeError(NO_DIRECTORY);
      checkOptions('storage.backup()', options, BACKUP_OPTIONS);
      return untilStopped(options.signal, (signal) =>
        takeBackup(store, resolve(directory), { ...options, signal }, onError),
      );
    },
    lifecycle: {
      async run(options = {}) {
        checkOptions('storage.lifecycle.run()', options, LIFECYCLE_OPTIONS);
        return runLifecycle(store, options, onError);
      },
      explain: (bucket, key) => explainLifecycle(store, bucket, key),
    },
    maintenance: {
      start(options) {
        const known = { every: kinds.required(kinds.interval) };
        checkOptions('storage.maintenance.start()', options, known);
        clearInterval(maintaining);
        maintaining = repeat(options.every, maintain);
      },
      async stop() {
        clearInterval(maintaining);
        await Promise.allSettled([maintain.running()]);
        await releaseLease(store);
      },
    },
    async stop() {
      clearInterval(sweeping);
      stopping.abort(new Error('The storage was closed.'));
      await Promise.allSettled(running);
      // The lease ends by itself. If the records cannot be reached, the drivers must still be closed.
      await this.maintenance.stop().catch(onError);
      await Promise.allSettled([sweepNow.running()]);
    },
  };
}

const NO_DIRECTORY = 'storage.backup() needs the path of a directory.';

/** Makes concurrent callers share one run: whoever calls during a run gets its result. */
function shared<T>(work: () => Promise<T>) {
  let running: Promise<T> | undefined;
  const run = (): Promise<T> => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return Object.assign(run, { running: () => running });
}
