import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Context, onStore } from '../context.js';
import { UsageError } from '../failures.js';
import { problemOfPath, TargetDirectory } from '../files/target.js';
import { walk } from '../files/walk.js';
import { asFolder, isRemote, type Location, parseLocation, type RemotePlace } from '../location.js';
import { carryOut, conclude, type Task, type TransferOptions } from '../transfer/carry-out.js';
import { compare, type Difference } from '../transfer/compare.js';
import type { Entries, Entry } from '../transfer/entry.js';
import { objectsBelow } from '../transfer/objects.js';
import { files } from '../transfer/plan.js';
import {
  copyTask,
  deleteFileTask,
  deleteTask,
  downloadTask,
  uploadTask,
} from '../transfer/tasks.js';
import { type CpOptions, headersIn } from './cp.js';
import { command, examples, headerOptions, transferOptions } from './shared.js';

interface SyncOptions extends CpOptions, TransferOptions {
  readonly delete?: boolean;
  readonly checksum?: boolean;
}

export const sync = (): Command =>
  headerOptions(
    transferOptions(
      command('sync', 'make a folder equal to another one, copying only what is new or changed')
        .argument('<from>', 'a directory, or bucket:folder')
        .argument('<to>', 'a directory, or bucket:folder')
        .option('--delete', 'delete at the target what the source does not have')
        .option('--checksum', 'compare the data, not sizes and times'),
    ),
  )
    .addHelpText(
      'after',
      `
A file is unchanged when it has the same size at both sides and is not newer at the source.
${examples('sync ./photos photos:2026', 'sync --delete --dry-run www: ./copy')}`,
    )
    .action(
      onStore<SyncOptions, [string, string]>(async (context, from, to) => {
        const [source, target] = [folderOf(from), folderOf(to)];
        if (!isRemote(source) && !isRemote(target)) {
          throw new UsageError('Neither place is in the storage. Write one as bucket:folder.');
        }
        await requireSource(context, source);
        const tasks = differences(context, source, target);
        conclude(context, await carryOut(context, 'Synchronizing', tasks));
      }),
    );

function folderOf(text: string): Location {
  const location = parseLocation(text);
  return isRemote(location) ? { ...location, key: asFolder(location.key) } : location;
}

/** With --delete, a mistyped source would empty the target. */
async function requireSource(context: Context<SyncOptions>, source: Location): Promise<void> {
  if (!isRemote(source)) {
    if (!(await stat(source.path)).isDirectory()) {
      throw new UsageError(`${source.path} is not a directory.`);
    }
    return;
  }
  const { client } = context.store;
  const { bucket, key: prefix } = source;
  const { contents } = await client.listObjects({ bucket, prefix, maxKeys: 1 });
  if (contents.length > 0 || !context.options.delete || prefix === '') return;
  throw new UsageError(`There is nothing in ${bucket}:${prefix}. Nothing was deleted.`);
}

async function* differences(
  context: Context<SyncOptions>,
  source: Location,
  target: Location,
): AsyncGenerator<Task, void> {
  const { options } = context;
  for await (const difference of compare(entriesIn(context, source), entriesIn(context, target))) {
    const { from, to } = difference;
    if (from === undefined) {
      if (options.delete && to !== undefined) yield deletion(context, target, to);
    } else if (to === undefined || isToBeCopied(options, from, to)) {
      yield transfer(context, source, target, difference as Difference & { from: Entry });
    }
  }
}

function entriesIn({ store, signal, note }: Context<SyncOptions>, place: Location): Entries {
  if (isRemote(place)) return files(objectsBelow(store.client, place, signal));
  return existing(
    walk(place.path, (path, why) => note(`Skipped ${path}: ${why}.`)),
    place.path,
  );
}

/** A target directory need not exist yet. */
async function* existing(entries: Entries, path: string): AsyncGenerator<Entry, void> {
  try {
    yield* entries;
  } catch (error) {
    const { code, path: missing } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' || missing === undefined || join(missing) !== join(path)) throw error;
  }
}

const isToBeCopied = ({ checksum }: SyncOptions, from: Entry, to: Entry): boolean =>
  from.size !== to.size || checksum === true || from.modified > to.modified;

function transfer(
  context: Context<SyncOptions>,
  source: Location,
  target: Location,
  { from, to }: Difference & { readonly from: Entry },
): Task {
  const etag = to?.size === from.size ? to.etag : undefined;
  if (!isRemote(source)) {
    const file = { ...from, path: join(source.path, from.path) };
    const headers = headersIn(context.options);
    return uploadTask(context, file, within(target as RemotePlace, from.path), {
      headers,
      stored: etag,
    });
  }
  const object = within(source, from.path);
  if (isRemote(target)) {
    const task = copyTask(context, object, from, within(target, from.path));
    const same = etag !== undefined && etag === from.etag;
    return same ? { ...task, act: async () => 'same' } : task;
  }
  const directory = new TargetDirectory(target.path);
  return downloadTask(context, object, from, directory, { local: to });
}

function deletion(context: Context<SyncOptions>, target: Location, { path }: Entry): Task {
  if (isRemote(target)) return deleteTask(context, within(target, path));
  return { ...deleteFileTask(target.path, path), problem: problemOfPath(path) };
}

const within = ({ bucket, key }: RemotePlace, path: string): RemotePlace => ({
  bucket,
  key: key + path,
});
