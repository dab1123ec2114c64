import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Context, onStore } from '../context.js';
import { UsageError } from '../failures.js';
import { isOfSameSecond } from '../files/file-time.js';
import { requireForeign } from '../files/own-files.js';
import { problemOfPath, TargetDirectory } from '../files/target.js';
import { walk } from '../files/walk.js';
import {
  BUCKET_NAMES,
  below,
  folderAt,
  isInside,
  isRemote,
  type Location,
  parseLocation,
  type RemotePlace,
} from '../location.js';
import { carryOut, type Plan, type Task, type TransferOptions } from '../transfer/carry-out.js';
import { compare } from '../transfer/compare.js';
import type { Entries, Entry } from '../transfer/entry.js';
import { LARGEST_COPY } from '../transfer/move-data.js';
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
      command('sync', 'make one folder equal to another, copying only new and changed files')
        .argument('<from>', 'a directory, or bucket:folder')
        .argument('<to>', 'a directory, or bucket:folder')
        .option('--delete', 'delete files at the target that the source does not have')
        .option('--checksum', 'compare data instead of sizes and times'),
    ),
  )
    .addHelpText(
      'after',
      `
A file counts as unchanged if it has the same size on both sides and is not newer at the source.
Within the storage, it counts as unchanged if its ETag is the same.
${examples('sync ./photos photos:2026', 'sync --delete --dry-run www: ./copy')}`,
    )
    .action(
      onStore<SyncOptions, [string, string]>(async (context, from, to) => {
        const [source, target] = [folderAt(parseLocation(from)), folderAt(parseLocation(to))];
        if (!isRemote(source) && !isRemote(target)) {
          throw new UsageError(
            `Neither place is in the storage. Write one as bucket:folder. ${BUCKET_NAMES}`,
          );
        }
        for (const place of [source, target]) {
          if (!isRemote(place)) await requireForeign(place.path, context.store.isOwn);
        }
        await requireDirectory(source);
        if (isInside(source, target) || isInside(target, source)) {
          throw new UsageError('One of the two folders is inside the other. Choose separate ones.');
        }
        await carryOut(context, 'Synchronizing', changes(context, source, target));
      }),
    );

async function requireDirectory(source: Location): Promise<void> {
  if (isRemote(source) || (await stat(source.path)).isDirectory()) return;
  throw new UsageError(`${source.path} is not a directory.`);
}

/** What to copy, and what to delete after that. */
function changes(context: Context<SyncOptions>, source: Location, target: Location): Plan {
  const { store, signal, note, options } = context;
  const skipped = new Set<string>();
  const obsolete = new Map<string, Entry>();
  const place = isRemote(target) ? target : new TargetDirectory(target.path, store.isOwn);
  const names = place instanceof TargetDirectory ? place.names : undefined;
  const transfer = transferTo(context, source, place);
  const entriesIn = (folder: Location): Entries => {
    if (isRemote(folder)) return files(objectsBelow(store.client, folder, signal));
    const skip = (path: string, why: string) => {
      note(`Skipped ${path}: ${why}.`);
      if (folder === source) skipped.add(path.replace(/\/$/, ''));
    };
    const found = walk(folder.path, { isOwn: store.isOwn, skip });
    // If the source has just disappeared, nothing must be deleted for that reason.
    return folder === source ? found : existing(found, folder.path);
  };
  let isEmpty = true;
  async function* tasks(): AsyncGenerator<Task, void> {
    for await (const { from, to } of compare(entriesIn(source), entriesIn(target))) {
      if (from !== undefined) isEmpty = false;
      if (from === undefined) {
        if (options.delete && to !== undefined) obsolete.set(to.path, to);
      } else if (to === undefined || isToBeCopied(options, from, to)) yield transfer(from, to);
      else if ((await names?.keep(from.path)) === false) yield transfer(from, to);
    }
  }
  async function* deletions(): AsyncGenerator<Task, void> {
    // It may be a disk that is not mounted, or a mistyped name. Partial downloads do not count.
    if (isEmpty && obsolete.size > 0) {
      const name = isRemote(source) ? `${source.bucket}:${source.key}` : source.path;
      throw new UsageError(`${name} contains no files. Nothing was deleted.`);
    }
    for (const entry of obsolete.values()) {
      if (isAtOrBelow(entry.path, skipped)) continue;
      // Where case is ignored, it may be the file of an object whose name has another case.
      if (!(await names?.has(entry.path))) yield deletion(context, target, entry);
    }
  }
  return { tasks: tasks(), deletions: options.delete ? deletions() : undefined };
}

/** Nobody knows what the source has there. */
function isAtOrBelow(path: string, places: ReadonlySet<string>): boolean {
  if (places.has(path)) return true;
  const at = path.lastIndexOf('/');
  return at > 0 && isAtOrBelow(path.slice(0, at), places);
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

function isToBeCopied({ checksum }: SyncOptions, from: Entry, to: Entry): boolean {
  if (from.error !== undefined || from.size !== to.size || checksum) return true;
  const isNewer = from.modified > to.modified;
  if (from.etag === undefined) return isNewer;
  if (to.etag === undefined) return isNewer || isOfSameSecond(to.modified, from.modified);
  // A copy in parts has another ETag. It may have missed what was stored in the same second.
  const isInParts = from.size > LARGEST_COPY;
  return from.etag !== to.etag && (!isInParts || from.modified >= to.modified);
}

/** Makes the task that replaces `to` with `from`. */
function transferTo(
  context: Context<SyncOptions>,
  source: Location,
  target: RemotePlace | TargetDirectory,
): (from: Entry, to: Entry | undefined) => Task {
  if (!isRemote(source)) {
    const headers = headersIn(context.options);
    return (from, to) => {
      const file = { ...from, path: join(source.path, from.path) };
      const object = below(target as RemotePlace, from.path);
      return uploadTask(context, file, object, { headers, stored: to });
    };
  }
  if (!(target instanceof TargetDirectory)) {
    return (from, to) => {
      const task = copyTask(context, below(source, from.path), from, below(target, from.path));
      const same = to?.size === from.size && to.etag === from.etag;
      return same ? { ...task, act: async () => 'same' } : task;
    };
  }
  return (from, to) => downloadTask(context, below(source, from.path), from, target, { local: to });
}

function deletion(context: Context<SyncOptions>, target: Location, entry: Entry): Task {
  if (isRemote(target)) return deleteTask(context, below(target, entry.path), entry);
  const task = deleteFileTask(target.path, entry);
  return { ...task, problem: task.problem ?? problemOfPath(entry.path) };
}
