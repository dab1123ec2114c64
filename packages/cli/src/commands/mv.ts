import type { Command } from 'commander';
import { onStore } from '../context.js';
import { type CpOptions, copyOrMove } from './cp.js';
import { command, examples, headerOptions, transferOptions } from './shared.js';

export const mv = (): Command =>
  headerOptions(
    transferOptions(
      command('mv', 'move files; each source is removed once it has arrived')
        .argument('<from>', 'a path or bucket:key')
        .argument('<to>', 'a path or bucket:key')
        .option('-r, --recursive', 'move everything in a directory or folder'),
    ),
  )
    .addHelpText('after', examples('mv report.pdf inbox:', 'mv inbox:a.txt inbox:done/a.txt'))
    .action(
      onStore<CpOptions, [string, string]>((context, from, to) =>
        copyOrMove(context, from, to, true),
      ),
    );
