import type { Command } from 'commander';
import { type Context, onStore } from '../context.js';
import { Failed } from '../failures.js';
import { asFolder, onlyInS3, parseRemote } from '../location.js';
import { bytes, counted } from '../text.js';
import { objectsBelow } from '../transfer/objects.js';
import { command, examples } from './shared.js';

interface UsageOptions {
  readonly folders?: boolean;
}

interface Used {
  objects: number;
  bytes: number;
}

export const usage = (): Command =>
  command('usage', 'count objects and bytes of buckets and folders')
    .argument('[place]', 'bucket or bucket:folder (default: all buckets)')
    .option('-f, --folders', 'also count each folder')
    .addHelpText('after', examples('usage', 'usage photos --folders'))
    .action(
      onStore<UsageOptions, [string | undefined]>(async (context, text) => {
        if (text !== undefined) {
          const { bucket, key } = parseRemote(text);
          await count(context, bucket, asFolder(key));
          return;
        }
        await countAll(context);
      }),
    );

async function countAll(context: Context<UsageOptions>): Promise<void> {
  let skipped = 0;
  for await (const { name } of context.store.buckets(context.signal)) {
    if (name.includes('.')) {
      context.note(onlyInS3(name));
      skipped++;
    } else await count(context, name, '');
  }
  if (skipped > 0) throw new Failed(`${counted(skipped, 'bucket')} could not be counted.`);
}

async function count(
  context: Context<UsageOptions>,
  bucket: string,
  folder: string,
): Promise<void> {
  const { store, options, signal, print, progress: show } = context;
  const progress = show(`Counting ${bucket}`, 'object');
  const total: Used = { objects: 0, bytes: 0 };
  const folders = new Map<string, Used>();
  try {
    for await (const { path, size } of objectsBelow(
      store.client,
      { bucket, key: folder },
      signal,
    )) {
      add(total, size);
      const slash = path.indexOf('/');
      if (options.folders && slash >= 0) {
        const name = folder + path.slice(0, slash + 1);
        const used = folders.get(name) ?? { objects: 0, bytes: 0 };
        folders.set(name, used);
        add(used, size);
      }
      progress.files++;
      progress.add(size);
    }
  } finally {
    progress.end();
  }
  const shown = (place: string, used: Used) =>
    `${bytes(used.bytes).padStart(10)}  ${used.objects.toLocaleString('en').padStart(12)}  ${place}`;
  for (const [prefix, used] of folders) {
    print({ bucket, prefix, ...used }, shown(`${bucket}:${prefix}`, used));
  }
  print(
    { bucket, prefix: folder, ...total },
    shown(folder === '' ? bucket : `${bucket}:${folder}`, total),
  );
}

function add(used: Used, size: number): void {
  used.objects++;
  used.bytes += size;
}
