import type { Command } from 'commander';
import { type Context, onStore } from '../context.js';
import { parseRemote, type RemotePlace } from '../location.js';
import { bytes, when } from '../text.js';
import { command, examples } from './shared.js';

interface LsOptions {
  readonly recursive?: boolean;
  readonly human?: boolean;
}

export const ls = (): Command =>
  command('ls', 'list buckets, or objects and folders')
    .argument('[place]', 'bucket or bucket:prefix (default: all buckets)')
    .option('-r, --recursive', 'also list the objects in folders')
    .option('-H, --human', 'show sizes as 3.2 MB instead of bytes')
    .addHelpText('after', examples('ls', 'ls photos:2026/', 'ls -r photos --json'))
    .action(
      onStore<LsOptions, [string | undefined]>(async (context, place) => {
        if (place === undefined) await listBuckets(context);
        else await listObjects(context, parseRemote(place));
      }),
    );

async function listBuckets({ store, print, signal }: Context<LsOptions>): Promise<void> {
  for await (const bucket of store.buckets(signal)) {
    const { name, creationDate, owner } = bucket;
    const of = owner === undefined ? '' : `  ${owner}`;
    print(bucket, `${when(creationDate)}  ${name}${of}`);
  }
}

async function listObjects(context: Context<LsOptions>, place: RemotePlace): Promise<void> {
  const { store, options, print, signal } = context;
  const { bucket, key: prefix } = place;
  const levels = options.recursive ? {} : { delimiter: '/' };
  let marker: string | undefined;
  do {
    const page = await store.client.listObjects({ bucket, prefix, ...levels, marker, signal });
    const folders = (page.commonPrefixes ?? []).map((folder) => ({
      key: folder.prefix,
      ...folder,
    }));
    // Folders and objects are sorted together, as a program would see them.
    const found = [...page.contents, ...folders].sort((a, b) =>
      Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)),
    );
    for (const one of found) {
      if ('prefix' in one) {
        print({ prefix: one.prefix }, `${''.padEnd(33)}  ${one.prefix}`);
        continue;
      }
      const { key, size, etag, lastModified } = one;
      const shown = (options.human ? bytes(size) : String(size)).padStart(12);
      print({ key, size, etag, lastModified }, `${when(lastModified)}  ${shown}  ${key}`);
    }
    marker = page.isTruncated ? page.nextMarker : undefined;
  } while (marker !== undefined);
}
