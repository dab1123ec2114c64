import type { copyStorage, StoragePlace } from '@bucketware/storage';
import { type Command, InvalidArgumentError } from 'commander';
import { interactionOf, onStore, requireLocal } from '../context.js';
import { Failed, Interrupted, UsageError } from '../failures.js';
import type { CommonOptions } from '../options.js';
import type { Progress } from '../progress.js';
import { configOf } from '../store/open.js';
import { bytes, counted } from '../text.js';
import { follow, inWords } from './scrub.js';
import { command, examples } from './shared.js';

export const backup = (): Command =>
  command('backup', 'back up the storage to a directory while it is in use')
    .argument('<directory>', 'an empty directory, or that of an earlier backup of this storage')
    .addHelpText('after', examples('backup /mnt/backup --store ./data'))
    .action(
      onStore<object, [string]>(async ({ store, signal, print, progress: show }, directory) => {
        const storage = requireLocal(store, 'backup');
        const progress = show('Backing up', 'blob');
        const report = await storage
          .backup(directory, {
            signal,
            onProgress: ({ present, blobs, copiedBytes }) => {
              progress.files = present;
              progress.totalFiles = blobs;
              progress.set(copiedBytes);
            },
          })
          .finally(() => progress.end());
        const { records, present, copied, copiedBytes, missing } = report;
        const what = `${counted(records, 'record')} and ${counted(present, 'blob')}`;
        print(
          report,
          `Backed up ${what}; copied ${copied.toLocaleString('en')} (${bytes(copiedBytes)}).`,
        );
        if (missing.length > 0) {
          throw new Failed(
            `The storage has lost ${counted(missing.length, 'blob')}: run check and scrub.`,
          );
        }
      }),
    );

export const restore = (): Command =>
  command('restore', 'restore a backup to an empty directory or storage')
    .argument('<backup>', 'the directory of a backup')
    .argument('<place>', 'an empty directory, or the config file of a storage')
    .addHelpText('after', examples('restore /mnt/backup ./restored'))
    .action(async (from: string, to: string, _: unknown, self: Command) => {
      const target = await placeOf(to);
      const { restoreStorage } = await import('@bucketware/storage');
      await copying(self, 'Restoring', (follow) => restoreStorage({ from, to: target, ...follow }));
    });

export const move = (): Command =>
  command('move', 'copy a whole storage to another place, with any drivers')
    .argument('<from>', 'a directory or config file; nothing may write to it during the copy')
    .argument('<to>', 'an empty directory, or the config file of an empty storage')
    .addHelpText(
      'after',
      `
The source stays unchanged: remove it once the new storage is in use.
${examples('move ./data postgres.json')}`,
    )
    .action(async (from: string, to: string, _: unknown, self: Command) => {
      const { copyStorage } = await import('@bucketware/storage');
      const places = { from: await placeOf(from), to: await placeOf(to) };
      await copying(self, 'Copying', (follow) => copyStorage({ ...places, ...follow }));
    });

async function placeOf(text: string): Promise<StoragePlace> {
  if (/^https?:/.test(text)) {
    throw new InvalidArgumentError(
      'move and restore work with directories or config files, not URLs.',
    );
  }
  const config = await configOf(text);
  if (config.endpoint !== undefined) {
    throw new UsageError(`${text} is the config file of an endpoint, not of a storage.`);
  }
  return config.storage as StoragePlace;
}

type Follow = Pick<Parameters<typeof copyStorage>[0], 'onProgress' | 'onVerify' | 'signal'>;

const UNVERIFIED =
  'Stopped. Everything was copied, but not all of it was verified: run `bucketware scrub`.';

/** Shows the progress of a copy and of its verification, and the result. */
async function copying(
  self: Command,
  label: string,
  work: (follow: Follow) => ReturnType<typeof copyStorage>,
): Promise<void> {
  const options = self.optsWithGlobals() as CommonOptions;
  const { signal, print, note, progress: show } = interactionOf(options);
  let progress: Progress = show(label, 'blob');
  let isVerifying = false;
  const report = await work({
    signal,
    onProgress: ({ blobs, bytes: copied }) => {
      progress.files = blobs;
      progress.set(copied);
    },
    onVerify: (verified) => {
      if (!isVerifying) {
        progress.end();
        progress = show('Verifying', 'object');
        isVerifying = true;
      }
      follow(progress, verified);
    },
  })
    .catch((error: unknown) => {
      if (!isVerifying || !(error instanceof Interrupted)) throw error;
      throw new Interrupted(UNVERIFIED, { cause: error });
    })
    .finally(() => progress.end());
  const { blobs, bytes: copied, records, verified } = report;
  const what = `${counted(records, 'record')} and ${counted(blobs, 'blob')} (${bytes(copied)})`;
  print(report, `Copied ${what}, verified ${counted(verified.objects, 'object')}.`);
  if (!options.json) for (const damage of verified.damaged) note(inWords(damage));
  if (verified.found > 0) throw new Failed(`${counted(verified.found, 'finding')} of damage.`);
}
