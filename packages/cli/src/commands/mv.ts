import type { Command } from 'commander';
import { onStore } from '../context.js';
import { type CpOptions, copyOrMove } from './cp.js';
import { command, examples, headerOptions, transferOptions } from './shared.js';

export const mv = (): Command =>
  headerOptions(
    transferOptions(
      command('mv', 'move files; a source is removed when it has arrived')
        .argument('<from>', 'a path or bucket:key')
        .argument('<to>', 'a path or bucket:key')
        .option('-r, --recursive', 'move all that is below a directory or a folder'),
    ),
  )
    .addHelpText('after', examples('mv report.pdf inbox:', 'mv inbox:a.txt inbox:done/a.txt'))
    .action(
      onStore<CpOptions, [string, string]>((context, from, to) =>
        copyOrMove(context, from, to, true),
      ),
    );
