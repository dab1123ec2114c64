import type { ScrubReport } from '@bucketware/core';
import type { Command } from 'commander';
import { onStore, requireLocal } from '../context.js';
import { Failed, Interrupted } from '../failures.js';
import { parseBucket } from '../location.js';
import type { Progress } from '../progress.js';
import { bytes, counted } from '../text.js';
import { command, examples, size } from './shared.js';

interface ScrubOptions {
  readonly rate?: number;
  readonly after?: string;
}

type Damage = ScrubReport['damaged'][number];

export const scrub = (): Command =>
  command('scrub', 'read all data and verify its checksums, without changes')
    .argument('[bucket]', 'only this bucket')
    .option('--rate <size>', 'maximum bytes per second, such as 20M', size)
    .option('--after <position>', 'continue where an earlier scrub was stopped')
    .addHelpText(
      'after',
      `
You can run it while the storage is in use. Exit code 1: data is damaged.
${examples('scrub', 'scrub photos --rate 20M')}`,
    )
    .action(
      onStore<ScrubOptions, [string | undefined]>(async (context, bucket) => {
        const { store, options, signal, print, progress: show } = context;
        const storage = requireLocal(store, 'scrub');
        const progress = show('Reading', 'object');
        const report = await storage
          .scrub({
            signal,
            bucket: bucket === undefined ? undefined : parseBucket(bucket),
            bytesPerSecond: options.rate,
            after: options.after,
            onProgress: (done) => follow(progress, done),
            onDamage: (damage) => progress.note(inWords(damage)),
          })
          .finally(() => progress.end());
        const { objects, parts, bytes: read, found, next } = report;
        const what = `${counted(objects, 'object')} and ${counted(parts, 'part')}, ${bytes(read)}`;
        print(report, `Read ${what}: ${found} damaged.`);
        if (signal.aborted && next !== undefined) {
          throw new Interrupted(`Stopped. Continue with: bucketware scrub --after '${next}'`);
        }
        if (found > 0) throw new Failed(`${counted(found, 'finding')} of damage.`);
      }),
    );

/** Shows what a scrub has read. */
export function follow(progress: Progress, { objects, bytes: read }: ScrubReport): void {
  progress.files = objects;
  progress.set(read);
}

/** One finding. */
export function inWords({ bucket, key, partNumber, problem, blob, ...place }: Damage): string {
  const part = partNumber === undefined ? '' : `, part ${partNumber} of an unfinished upload`;
  const { offset, length } = place;
  const range = offset === undefined ? '' : `bytes ${offset} to ${offset + (length ?? 0)} of `;
  return `Damage: ${bucket}:${key}${part}: ${range}${blob}: ${problem}`;
}
