import type { Command } from 'commander';
import { onStore, requireLocal } from '../context.js';
import { Failed } from '../failures.js';
import { counted } from '../text.js';
import { command, examples } from './shared.js';

/** Beyond this number, results are only counted, unless --json is given. */
const SHOWN = 20;

export const check = (): Command =>
  command('check', 'compare records and stored data, without changes')
    .addHelpText(
      'after',
      `
Run it while nothing else uses the storage; otherwise changes may be reported as problems.
Exit code 1: data is missing, or there is data that no record names.
${examples('check --store ./data')}`,
    )
    .action(
      onStore(async ({ store, print, note, progress: show, options }) => {
        const storage = requireLocal(store, 'check');
        const progress = show('Comparing records and data', '');
        const result = await storage.check().finally(() => progress.end());
        const { objects, blobs, missing, orphans } = result;
        print(result, `${counted(objects, 'object')}, ${counted(blobs, 'blob')}`);
        if (!options.json) {
          for (const blob of missing.slice(0, SHOWN)) note(`Missing: ${blob}`);
          for (const blob of orphans.slice(0, SHOWN)) note(`No record names: ${blob}`);
        }
        if (missing.length + orphans.length === 0) return;
        const wrong = `${counted(missing.length, 'blob')} missing, ${orphans.length.toLocaleString('en')} that no record names.`;
        throw new Failed(wrong);
      }),
    );
