import type { Command } from 'commander';
import { onStore, requireLocal } from '../context.js';
import { counted } from '../text.js';
import { command, examples } from './shared.js';

export const sweep = (): Command =>
  command('sweep', 'remove replaced and deleted data whose read grace period is over')
    .addHelpText('after', examples('sweep --store ./data'))
    .action(
      onStore(async ({ store, print }) => {
        const result = await requireLocal(store, 'sweep').sweep();
        print(result, `Removed ${counted(result.removed, 'entry').replace('entrys', 'entries')}.`);
      }),
    );
