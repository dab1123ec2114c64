import type { Change } from '../../contracts/metadata-store.js';
import { StorageError } from '../../errors.js';
import type { OwnAcl } from '../records/acls.js';
import type { Content } from '../records/content.js';
import { inlineRecords } from '../records/inline-bytes.js';
import { after } from '../records/keys.js';
import type { Stored } from '../records/kind.js';
import { manifestRecords } from '../records/manifests.js';
import type { ObjectRecord } from '../records/objects.js';
import { type Garbage, tombstoneRecords } from '../records/tombstones.js';
import type { UploadRecord } from '../records/uploads.js';
import type { Store } from '../store.js';
import { bury } from './purge.js';

/*
 * At every instant each blob is named by a record or queued here for removal, whatever crashes:
 * a blob is born condemned, the commit that makes it part of an object takes it out of the queue,
 * and the commit that drops it puts it back.
 */

/** A blob that no record names yet. An upload has this long to finish. */
const CONDEMNED_FOR = 7 * 24 * 60 * 60 * 1000;
const BATCH = 500;

/** Another process did it whose clock is days ahead, or this one was asleep for as long. */
const SWEPT = 'A sweep removed the bytes before they had arrived. Try again.';

type Waiting = Stored<Garbage>;
type Doomed = Omit<Waiting, 'version'>;

/**
 * The entry in the queue of a blob, or of a manifest that stands for all its blobs. A commit that
 * expects it fails once they are being removed.
 */
export interface Condemned {
  readonly blob: string;
  readonly entry: Waiting;
  /** Of the blobs that a manifest stands for, those that may exist. Undefined: all. */
  readonly made?: ReadonlySet<string>;
}

const queue = (due: number, id: string, kind: Garbage) => ({
  key: tombstoneRecords.key({ due, id }),
  value: kind,
});

/** Queues blobs that are about to be written. */
export const condemn = (store: Store, blobs: readonly string[]): Promise<Condemned[]> =>
  condemnAll(store, blobs, 'blob', {});

/** The same for the many blobs that a manifest names: one entry stands for all of them. */
export const condemnManifest = (
  store: Store,
  id: string,
  manifest: Uint8Array,
): Promise<Condemned[]> => condemnAll(store, [id], 'manifest', manifestRecords.put(id, manifest));

async function condemnAll(
  store: Store,
  ids: readonly string[],
  kind: Garbage,
  { put: records = [] }: Change,
): Promise<Condemned[]> {
  const due = store.now() + CONDEMNED_FOR;
  const entries = ids.map((id) => queue(due, id, kind));
  for (const id of ids) store.arriving.add(id);
  try {
    await store.metadata.commit({ put: [...entries, ...records] });
    const found = await store.metadata.getMany(entries.map(({ key }) => key));
    return ids.map((blob, at) => {
      const entry = found[at];
      if (entry === undefined) throw new StorageError('ServiceUnavailable', SWEPT);
      return { blob, entry: tombstoneRecords.decode(entry) };
    });
  } catch (error) {
    for (const id of ids) store.arriving.delete(id);
    throw error;
  }
}

/** The part of a change that makes condemned blobs live. */
export const pardon = (condemned: readonly Condemned[]): Change => ({
  expect: condemned.map(({ entry: { key, version } }) => ({ key, version })),
  delete: condemned.map(({ entry }) => entry.key),
});

/** Throws when bytes that a change would make live are being removed: the commit can only fail. */
export async function requireAdoptable(
  { metadata }: Store,
  { expect = [] }: Change,
): Promise<void> {
  if (expect.length === 0) return;
  const entries = await metadata.getMany(expect.map(({ key }) => key));
  if (!entries.includes(undefined)) return;
  const message = 'The upload took longer than the seven days allowed.';
  throw new StorageError('RequestTimeout', message);
}

/** The part of a change that drops bytes. Downloads that run have `grace` milliseconds to end. */
export function drop(store: Store, content: Content, grace = store.settings.readGrace): Change {
  if ('inline' in content) return inlineRecords.delete(content.inline);
  const due = store.now() + grace;
  const blobs = new Set(content.segments.map((segment) => segment.blob));
  const put = Array.from(blobs, (blob) => queue(due, blob, 'blob'));
  if (content.manifest !== undefined) put.push(queue(due, content.manifest, 'manifest'));
  return { put };
}

/** The part of a change that drops all uploads of a deleted bucket: some now, the rest later. */
export const dropBucket = (store: Store, bucketId: string): Change => ({
  put: [queue(store.now(), bucketId, 'bucket')],
});

/** The part of a change that drops a long list of its own. Requests that read it now may end. */
export const dropAcl = (store: Store, { aclId }: OwnAcl): Change =>
  aclId === undefined ? {} : { put: [queue(store.now() + store.settings.readGrace, aclId, 'acl')] };

/** The part of a change that drops an object. */
export function dropObject(store: Store, object: ObjectRecord): Change {
  const { put = [], ...bytes } = drop(store, object.content);
  return { ...bytes, put: [...put, ...(dropAcl(store, object).put ?? [])] };
}

/** The part of a change that drops an upload with all its parts. */
export const dropUpload = (store: Store, uploadId: string, upload: UploadRecord): Change => ({
  put: [queue(store.now(), uploadId, 'upload'), ...(dropAcl(store, upload).put ?? [])],
});

/** The part of a change that forgets the result of an upload after a while. */
export const forgetCompleted = (store: Store, uploadId: string, after: number): Change => ({
  put: [queue(store.now() + after, uploadId, 'completed')],
});

/**
 * Removes condemned blobs now, unless a commit has made them live after all. Never throws: it runs
 * after a failure, which is the one to tell. What it does not remove is still queued, and the sweep
 * that cannot remove it either tells the host.
 */
export async function discard(store: Store, condemned: readonly Condemned[]): Promise<void> {
  for (const { blob } of condemned) store.arriving.delete(blob);
  const entries = condemned.map(({ entry }) => entry);
  const made = new Map(condemned.map((one) => [one.blob, one.made]));
  await doom(store, entries)
    .then((doomed) => bury(store, doomed, made))
    .catch(() => {});
}

export interface SweepResult {
  /** Entries of the queue that were worked off: blobs, manifests, ended uploads, results. */
  readonly removed: number;
}

/** Removes everything that is due. Stops at the first failure; what is left stays queued. */
export async function sweep(store: Store): Promise<SweepResult> {
  const now = store.now();
  let removed = 0;
  for (let start: string | undefined; ; ) {
    const { prefix } = tombstoneRecords;
    const page = await store.metadata.list({ prefix, start, limit: BATCH });
    const due = page.filter(({ key }) => tombstoneRecords.parse(key).due <= now);
    const left = due
      .filter(({ key }) => !store.arriving.has(tombstoneRecords.parse(key).id))
      .map((entry) => tombstoneRecords.decode(entry));
    const doomed = await doom(store, left);
    await bury(store, doomed);
    removed += doomed.length;
    const last = due.at(-1);
    if (due.length < BATCH || last === undefined) return { removed };
    start = after(last.key);
  }
}

/**
 * Moves entries to due time 0, from where there is no way back: a commit that still expects the
 * old entry fails. Returns the entries that were moved, or had been by a sweep that crashed.
 */
async function doom(store: Store, entries: readonly Waiting[]): Promise<Doomed[]> {
  const isWaiting = ({ key }: Waiting) => tombstoneRecords.parse(key).due > 0;
  const waiting = entries.filter(isWaiting);
  const doomed: Doomed[] = entries.filter((entry) => !isWaiting(entry));
  if (waiting.length === 0) return doomed;
  const moved = waiting.map(({ key, value }) => queue(0, tombstoneRecords.parse(key).id, value));
  const committed = await store.metadata.commit({
    expect: waiting.map(({ key, version }) => ({ key, version })),
    delete: waiting.map(({ key }) => key),
    put: moved,
  });
  if (committed !== undefined) return doomed.concat(moved);
  if (waiting.length === 1) return doomed;
  for (const entry of waiting) for (const one of await doom(store, [entry])) doomed.push(one);
  return doomed;
}
