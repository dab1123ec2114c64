import type { Command } from 'commander';
import { onStore, requireLocal } from '../context.js';
import { Failed } from '../failures.js';
import { counted } from '../text.js';
import { command, examples } from './shared.js';

/** More of them are only counted, unless --json asks for all. */
const SHOWN = 20;

export const check = (): Command =>
  command('check', 'compare records and stored data; changes nothing')
    .addHelpText(
      'after',
      `
Run it while nothing else uses the storage: changes meanwhile may be reported.
Exit code 1: data is missing, or data is there that nothing names.
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
          for (const blob of orphans.slice(0, SHOWN)) note(`Nothing names: ${blob}`);
        }
        if (missing.length + orphans.length === 0) return;
        const wrong = `${counted(missing.length, 'blob')} missing, ${orphans.length.toLocaleString('en')} that nothing names.`;
        throw new Failed(wrong);
      }),
    );
