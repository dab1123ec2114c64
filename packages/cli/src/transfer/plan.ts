import { lstat, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Context } from '../context.js';
import { UsageError } from '../failures.js';
import { requireForeign } from '../files/own-files.js';
import { TargetDirectory } from '../files/target.js';
import { walk } from '../files/walk.js';
import {
  BUCKET_NAMES,
  below,
  folderAt,
  isInside,
  isRemote,
  type Location,
  type RemotePlace,
} from '../location.js';
import type { Plan, Task, TransferOptions } from './carry-out.js';
import { compare } from './compare.js';
import { type Entries, type Entry, fileEntry } from './entry.js';
import type { UploadHeaders } from './move-data.js';
import { objectEntry, objectsBelow } from './objects.js';
import { copyTask, downloadTask, uploadTask } from './tasks.js';

export interface CopyOptions extends TransferOptions {
  readonly recursive?: boolean;
}

interface Way {
  readonly from: Location;
  readonly to: Location;
  readonly move: boolean;
  readonly headers: UploadHeaders;
}

/** Plans the tasks of `cp` and `mv`. */
export async function planCopy(context: Context<CopyOptions>, way: Way): Promise<Plan> {
  const { from, to } = way;
  if (!isRemote(from) && !isRemote(to)) {
    throw new UsageError(
      `Neither place is in the storage. Write one as bucket:key. ${BUCKET_NAMES}`,
    );
  }
  for (const place of [from, to]) {
    if (!isRemote(place)) await requireForeign(place.path, context.store.isOwn);
  }
  const isFolder = isRemote(from) || (await isDirectory(from.path));
  if (context.options.recursive && isFolder) {
    const folders = { ...way, from: folderAt(from), to: folderAt(to) };
    requireSeparate(folders);
    return { tasks: folder(context, folders) };
  }
  const task = await single(context, way);
  return { tasks: only(task), total: task.size };
}

/** What is copied first must not replace or add to what is still to be read. */
function requireSeparate({ from, to, move }: Way): void {
  if (isInside(to, from)) throw new UsageError('The target is inside the source.');
  if (!move || !isInside(from, to)) return;
  const way = 'Copy it with cp -r, and then remove the source with rm -r.';
  throw new UsageError(`The source is inside the target. ${way}`);
}

async function* only(task: Task): AsyncGenerator<Task, void> {
  yield task;
}

async function single(context: Context<CopyOptions>, way: Way): Promise<Task> {
  const { from, to, move, headers } = way;
  if (!isRemote(from)) {
    const target = to as RemotePlace;
    const { path } = from;
    const found = await stat(path);
    if (found.isDirectory())
      throw new UsageError(`${path} is a directory. Add -r to copy all of it.`);
    if (move && !found.isFile()) throw new UsageError(`${path} is not a file. Copy it with cp.`);
    const object = { ...target, key: keyIn(target.key, basename(path)) };
    const stored = await listedAt(context, object);
    return uploadTask(context, fileEntry(path, found), object, { headers, move, stored });
  }
  if (from.key === '' || from.key.endsWith('/')) {
    throw new UsageError(`${from.bucket}:${from.key} is a folder. Add -r to copy all of it.`);
  }
  const entry = await objectAt(context, from);
  const name = basename(from.key);
  if (isRemote(to)) {
    return copyTask(context, from, entry, { ...to, key: keyIn(to.key, name) }, { move });
  }
  const isFolder = to.path.endsWith('/') || (await isDirectory(to.path));
  const [directory, path] = isFolder ? [to.path, name] : splitPath(to.path);
  const local = await localAt(join(directory, path));
  const files = new TargetDirectory(directory, context.store.isOwn);
  return downloadTask(context, from, { ...entry, path }, files, { move, local });
}

/** The key for a file in a folder, or the given key. */
const keyIn = (given: string, name: string): string =>
  given === '' || given.endsWith('/') ? given + name : given;

const isDirectory = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true; // A missing path is not a directory.

function splitPath(path: string): [directory: string, name: string] {
  const name = basename(path);
  return [path.slice(0, path.length - name.length) || '.', name];
}

async function localAt(path: string): Promise<Entry | undefined> {
  const found = await lstat(path).catch(() => undefined); // It will be created.
  return found?.isFile() ? fileEntry(path, found) : undefined;
}

async function objectAt(
  { store: { client }, signal }: Context<unknown>,
  place: RemotePlace,
): Promise<Entry> {
  const found = await client.getObjectMeta({ ...place, signal }).catch(unlessHidden);
  if (found === undefined) throw new Error(`There is no object ${place.bucket}:${place.key}.`);
  return objectEntry(place.key, found);
}

/** The object that an upload would replace. A cache may respond to HEAD, but never to a listing. */
async function listedAt(
  { store: { client }, signal }: Context<unknown>,
  { bucket, key }: RemotePlace,
): Promise<Entry | undefined> {
  const list = { bucket, prefix: key, maxKeys: 1, signal };
  const [found] = (await client.listObjects(list).catch(unlessHidden))?.contents ?? [];
  return found?.key === key ? objectEntry(key, found) : undefined;
}

/** A caller who may write may not be allowed to read. */
function unlessHidden(error: { code?: string }): undefined {
  if (!['NotFound', 'AccessDenied'].includes(error.code ?? '')) throw error;
}

async function* folder(context: Context<CopyOptions>, way: Way): AsyncGenerator<Task, void> {
  const { from: source, to: target, move, headers } = way;
  const { note, store, signal } = context;
  const { isOwn } = store;
  const skip = (path: string, why: string) => note(`Skipped ${path}: ${why}.`);
  if (isRemote(source) && isRemote(target)) {
    for await (const entry of objectsBelow(store.client, source, signal)) {
      const to = below(target, entry.path);
      const task = copyTask(context, below(source, entry.path), entry, to, { move });
      yield isInside(to, source) ? { ...task, problem: 'the copy would be in the source' } : task;
    }
    return;
  }
  if (isRemote(target)) {
    const { path } = source as { path: string };
    const stored = objectsBelow(store.client, target, signal);
    for await (const { from: file, to: old } of compare(walk(path, { isOwn, skip }), stored)) {
      if (file === undefined) continue;
      const given = { ...file, path: join(path, file.path) };
      yield uploadTask(context, given, below(target, file.path), { headers, move, stored: old });
    }
    return;
  }
  const place = source as RemotePlace;
  const directory = new TargetDirectory(target.path, isOwn);
  for await (const entry of files(objectsBelow(store.client, place, signal))) {
    const local = await localAt(join(target.path, entry.path));
    yield downloadTask(context, below(place, entry.path), entry, directory, { move, local });
  }
}

/** The entries without the empty objects that some programs use as folders. */
export async function* files(entries: Entries): AsyncGenerator<Entry, void> {
  for await (const entry of entries) {
    const isMarker = entry.size === 0 && (entry.path === '' || entry.path.endsWith('/'));
    if (!isMarker) yield entry;
  }
}
