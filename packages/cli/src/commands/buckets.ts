import type { Command } from 'commander';
import { onStore } from '../context.js';
import { parseBucket } from '../location.js';
import { removeAll } from './rm.js';
import { command, examples } from './shared.js';

export const mb = (): Command =>
  command('mb', 'create a bucket, and the storage if the directory has none')
    .argument('<bucket>')
    .addHelpText('after', examples('mb photos', 'mb photos --store ./data'))
    .action(
      onStore<object, [string]>(
        async ({ store, print, options }, text) => {
          const bucket = parseBucket(text);
          await store.createBucket(bucket);
          if (options.json) print({ created: bucket }, '');
        },
        { creates: true },
      ),
    );

interface RbOptions {
  readonly force?: boolean;
}

export const rb = (): Command =>
  command('rb', 'remove an empty bucket')
    .argument('<bucket>')
    .option('--force', 'first delete all objects and unfinished uploads in it')
    .addHelpText('after', examples('rb photos', 'rb --force photos'))
    .action(
      onStore<RbOptions, [string]>(async (context, text) => {
        const { store, print, options } = context;
        const bucket = parseBucket(text);
        if (options.force) await removeAll({ ...context, options: {} }, bucket, '');
        await store.client.deleteBucket({ bucket });
        if (options.json) print({ removed: bucket }, '');
      }),
    );
