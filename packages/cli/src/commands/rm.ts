import type { Command } from 'commander';
import { type Context, onStore } from '../context.js';
import { Failed, UsageError } from '../failures.js';
import { asFolder, parseObject, parseRemote } from '../location.js';
import { counted } from '../text.js';
import { command, examples } from './shared.js';

interface RmOptions {
  readonly recursive?: boolean;
  readonly dryRun?: boolean;
}

export const rm = (): Command =>
  command('rm', 'delete objects')
    .argument('<place...>', 'bucket:key, or bucket:folder with -r')
    .option('-r, --recursive', 'delete everything in a folder or bucket')
    .option('-n, --dry-run', 'only show what would be deleted')
    .addHelpText('after', examples('rm photos:a.jpg photos:b.jpg', 'rm -r photos:2025/'))
    .action(
      onStore<RmOptions, [string[]]>(async (context, places) => {
        const { options, store, signal, print } = context;
        if (options.recursive) {
          for (const text of places) {
            const { bucket, key } = parseRemote(text);
            await removeAll(context, bucket, asFolder(key));
          }
          return;
        }
        for (const text of places) {
          const { bucket, key } = objectOf(text);
          if (options.dryRun) {
            await store.client.getObjectMeta({ bucket, key, signal });
            print({ would: 'delete', bucket, key }, `Would delete ${text}`);
          } else {
            await store.client.deleteObject({ bucket, key, signal });
            if (options.json) print({ deleted: { bucket, key } }, '');
          }
        }
      }),
    );

function objectOf(text: string) {
  const place = parseObject(text);
  if (!place.key.endsWith('/')) return place;
  throw new UsageError(`${text} is a folder. Add -r to delete everything in it.`);
}

/** Deletes the objects with a prefix, a thousand at a time. */
export async function removeAll(
  { options, store, signal, print, progress: show }: Context<RmOptions>,
  bucket: string,
  prefix: string,
): Promise<void> {
  const progress = show(`Deleting ${bucket}:${prefix}`, 'object');
  let failed = 0;
  let marker: string | undefined;
  try {
    do {
      signal.throwIfAborted();
      const page = await store.client.listObjects({ bucket, prefix, marker, signal });
      marker = page.isTruncated ? page.nextMarker : undefined;
      if (options.dryRun) {
        for (const { key } of page.contents) {
          print({ would: 'delete', bucket, key }, `Would delete ${bucket}:${key}`);
        }
      } else if (page.contents.length > 0) {
        const objects = page.contents;
        const { errors } = await store.client.deleteMultipleObjects({ bucket, objects, signal });
        // They may have been deleted elsewhere meanwhile.
        const real = errors.filter(({ code }) => code !== 'NoSuchKey');
        for (const { key, message } of real)
          progress.note(`Not deleted: ${bucket}:${key}: ${message}`);
        failed += real.length;
        progress.files += objects.length - errors.length;
        progress.draw();
      }
    } while (marker !== undefined);
  } finally {
    progress.end();
  }
  if (options.json && !options.dryRun) print({ bucket, prefix, deleted: progress.files }, '');
  if (failed > 0) throw new Failed(`${counted(failed, 'object')} could not be deleted.`);
}
