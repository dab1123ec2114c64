import { type Command, Option } from 'commander';
import { onStore } from '../context.js';
import { UsageError } from '../failures.js';
import { parseObject } from '../location.js';
import { command, duration, examples } from './shared.js';

interface PresignOptions {
  readonly expires: number;
  readonly method: keyof typeof ACTIONS;
}

const ACTIONS = {
  GET: 'getObject',
  HEAD: 'getObjectMeta',
  PUT: 'putObject',
  DELETE: 'deleteObject',
} as const;

export const presign = (): Command =>
  command('presign', 'create a link for somebody without an access key')
    .argument('<object>', 'bucket:key')
    .option('-e, --expires <time>', 'how long the link is valid (default: 15m)', duration)
    .addOption(
      new Option('-m, --method <method>', 'the method that the link allows')
        .choices(Object.keys(ACTIONS))
        .default('GET'),
    )
    .addHelpText(
      'after',
      examples('presign photos:a.jpg --expires 7d', 'presign inbox:up.zip -m PUT'),
    )
    .action(
      onStore<PresignOptions, [string]>(async ({ store, options, print }, object) => {
        if (store.local !== undefined) {
          throw new UsageError(
            'A link needs a server: give its URL as --store, and an access key.',
          );
        }
        const { method, expires: expiresIn = 900 } = options;
        const place = parseObject(object);
        const url = await store.client
          .presign({ ...place, action: ACTIONS[method], expiresIn })
          .catch((error: unknown) => {
            if (!(error instanceof TypeError)) throw error;
            throw new UsageError(
              'A link needs an access key: set BUCKETWARE_ACCESS_KEY and BUCKETWARE_SECRET, or use a config file.',
            );
          });
        print({ url, method, expiresIn }, url);
      }),
    );
