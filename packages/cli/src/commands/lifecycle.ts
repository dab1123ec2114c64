import { Command } from 'commander';
import { onStore, requireLocal } from '../context.js';
import { parseObject } from '../location.js';
import { counted, when } from '../text.js';
import { command, examples } from './shared.js';

interface RunOptions {
  readonly dryRun?: boolean;
}

export const lifecycle = (): Command => {
  const group = new Command('lifecycle').description('explain and apply lifecycle rules');
  group.addCommand(explain());
  group.addCommand(apply());
  return group;
};

const explain = (): Command =>
  command('explain', 'show which rule will remove an object, and when')
    .argument('<object>', 'bucket:key')
    .addHelpText('after', examples('lifecycle explain logs:2026/01.gz'))
    .action(
      onStore<object, [string]>(async ({ store, print }, text) => {
        const storage = requireLocal(store, 'lifecycle explain');
        const { bucket, key } = parseObject(text);
        const found = await storage.lifecycle.explain(bucket, key);
        const words =
          found === undefined
            ? 'No rule will remove the object.'
            : `The rule ${found.ruleId} will remove the object at ${when(found.at)} UTC.`;
        print(found ?? { ruleId: null }, words);
      }),
    );

const apply = (): Command =>
  command('run', 'apply the rules of all buckets now')
    .option('-n, --dry-run', 'only show what would be done')
    .addHelpText('after', examples('lifecycle run --dry-run'))
    .action(
      onStore<RunOptions, []>(async ({ store, options, print, progress: show }) => {
        const storage = requireLocal(store, 'lifecycle run');
        const { dryRun = false } = options;
        const progress = show('Applying rules', 'action');
        const report = await storage.lifecycle
          .run({
            dryRun,
            onAction: ({ bucket, key, action }) => {
              progress.files++;
              progress.draw();
              if (dryRun) print({ would: action, bucket, key }, `Would ${action} ${bucket}:${key}`);
            },
          })
          .finally(() => progress.end());
        print(report, counted(progress.files, 'action'));
      }),
    );
