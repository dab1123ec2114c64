import type { Command } from 'commander';
import { onStore, requireLocal } from '../context.js';
import type { ServeOptions } from '../server.js';
import { command, examples } from './shared.js';

export const serve = (): Command =>
  command('serve', 'serve a storage: the JSON interface at /storage, S3 at /s3')
    .argument('[directory]', 'instead of --store')
    .option('-p, --port <port>', 'the port to listen on; 0: any free port', '3000')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--open', 'require no access key; only for this machine')
    .option('--public-url <url>', 'the address as clients see it, if a proxy rewrites it')
    .addHelpText(
      'after',
      `
The access key is taken from BUCKETWARE_ACCESS_KEY and BUCKETWARE_SECRET. Without them, one is created
for this run and printed.
${examples('serve ./data', 'serve ./data --port 8080 --open')}`,
    )
    .action(async (directory: string | undefined, _: unknown, self: Command) => {
      if (directory !== undefined) self.setOptionValue('store', directory);
      await serving(_, self);
    });

const serving = onStore<ServeOptions, []>(
  async ({ store, options, signal }) => {
    const { listen } = await import('../server.js');
    await listen(requireLocal(store, 'serve'), options, signal);
  },
  { creates: true },
);
