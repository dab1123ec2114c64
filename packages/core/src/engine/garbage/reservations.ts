import type { Change } from '../../contracts/metadata-store.js';
import { OutcomeUnknownError } from '../../contracts/unreachable.js';
import { StorageError } from '../../errors.js';
import type { Content } from '../records/content.js';
import { manifestRecords } from '../records/manifests.js';
import { type Garbage, type Reservation, tombstoneRecords } from '../records/tombstones.js';
import { newId, type ReservedIds, type Store } from '../store.js';
import { tombstone } from './tombstones.js';

/** An upload must finish within this time. */
const RESERVED_FOR = 7 * 24 * 60 * 60 * 1000;

/**
 * An id that was reserved longer ago is not used, so that an upload still has almost all of its
 * time.
 */
const FRESH_FOR = 10 * 60 * 1000;

/** An unused id, and when it was reserved. */
interface Ready {
  readonly reservation: Reservation;
  readonly since: number;
}

type Clock = Pick<Store, 'metadata' | 'now' | 'arriving'>;

/**
 * Ids for blobs whose tombstones are already durable, so that an upload can write without waiting
 * for a commit. They are reserved a few at a time, in the background, and only when ids are used: a
 * storage that is only read reserves none. After a crash, a sweep removes their tombstones when
 * they are due.
 */
export class BlobIdPool implements ReservedIds {
  readonly #store: Clock;
  readonly #ahead: number;
  readonly #ready: Ready[] = [];
  /** How many ids callers are waiting for. */
  #wanted = 0;
  #filling: Promise<void> | undefined;

  /** `ahead`: how many ids are reserved in advance. */
  constructor(store: Clock, ahead: number) {
    this.#store = store;
    this.#ahead = ahead;
  }

  async take(count: number): Promise<Reservation[]> {
    this.#wanted += count;
    try {
      this.forgetStale();
      while (this.#ready.length < count) await this.#fill();
    } finally {
      this.#wanted -= count;
    }
    const taken = this.#ready.splice(0, count).map(({ reservation }) => reservation);
    // If this fails, the next caller tries again and gets the error.
    if (this.#ready.length * 2 < this.#ahead) this.#fill().catch(() => {});
    return taken;
  }

  /** Releases unused ids. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#filling]);
    const unused = this.#ready.splice(0).map(({ reservation }) => reservation);
    for (const { id } of unused) this.#store.arriving.delete(id);
    if (unused.length > 0) await this.#store.metadata.commit(adopt(unused));
  }

  forgetStale(): void {
    const now = this.#store.now();
    const fresh = this.#ready.filter(({ since }) => Math.abs(now - since) <= FRESH_FOR);
    if (fresh.length < this.#ready.length) this.#keep(fresh);
  }

  forgetAll(): void {
    this.#keep([]);
  }

  #keep(kept: readonly Ready[]): void {
    for (const one of this.#ready.splice(0)) {
      if (kept.includes(one)) this.#ready.push(one);
      else this.#store.arriving.delete(one.reservation.id);
    }
  }

  #fill(): Promise<void> {
    this.#filling ??= this.#reserve().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  async #reserve(): Promise<void> {
    const count = this.#wanted + this.#ahead - this.#ready.length;
    const since = this.#store.now();
    const ids = Array.from({ length: count }, newId);
    const reserved = await reserve(this.#store, ids, 'blob', {});
    for (const reservation of reserved) this.#ready.push({ reservation, since });
  }
}

/** Reserves the many blobs that a manifest names, with one tombstone for all of them. */
export async function reserveManifest(
  store: Store,
  id: string,
  manifest: Uint8Array,
  made: ReadonlySet<string>,
): Promise<Reservation> {
  const [reservation] = await reserve(store, [id], 'manifest', manifestRecords.put(id, manifest));
  return { ...(reservation as Reservation), made };
}

async function reserve(
  { metadata, now, arriving }: Clock,
  ids: readonly string[],
  kind: Garbage,
  { put: records = [] }: Change,
): Promise<Reservation[]> {
  const due = now() + RESERVED_FOR;
  const tombstones = ids.map((id) => tombstone(due, id, kind));
  for (const id of ids) arriving.add(id);
  try {
    const version = await metadata.commit({ put: [...tombstones, ...records] });
    if (version === undefined)
      throw new Error('The metadata store rejected a commit without expectations.');
    return ids.map((id) => ({
      id,
      tombstone: { key: tombstoneRecords.key({ due, id }), value: kind, version },
    }));
  } catch (error) {
    for (const id of ids) arriving.delete(id);
    throw error;
  }
}

/**
 * The part of a change that removes the tombstones, because records name the blobs from then on.
 */
export const adopt = (reservations: readonly Reservation[]): Change => ({
  expect: reservations.map(({ tombstone: { key, version } }) => ({ key, version })),
  delete: reservations.map(({ tombstone: { key } }) => key),
});

/**
 * Data that no record names yet, and the part of a change that makes it the content of a record.
 */
export interface Adoption {
  readonly change: Change;
  readonly reserved: readonly Reservation[];
}

const TOO_LONG = 'The upload took longer than the seven days allowed.';
const WRONG_OUTCOME = 'The metadata store reported that a commit had no effect, but it had.';
const SWEPT =
  'The data was removed before it had arrived completely: the clock of another process is days ahead, or the database went back to an earlier state. Try again.';

/**
 * Call it when a commit that adopts data did not succeed: throws when any retry would fail too,
 * because a sweep has removed the tombstones. Data that was written after that gets new tombstones.
 *
 * `current` reads the content of the record that the commit should have written. If that is the
 * adopted data, the metadata store was wrong, and the data must not get tombstones: throws
 * OutcomeUnknownError.
 */
export async function requireAdoptable(
  store: Store,
  { reserved }: Adoption,
  current: () => Promise<{ readonly value: { readonly content: Content } } | undefined>,
): Promise<void> {
  if (reserved.length === 0) return;
  const entries = await store.metadata.getMany(reserved.map(({ tombstone: { key } }) => key));
  const swept = reserved.filter((_, at) => entries[at] === undefined);
  if (swept.length === 0) return;
  const content = (await current())?.value.content;
  if (content !== undefined && swept.some(({ id }) => names(content, id))) {
    throw new OutcomeUnknownError(WRONG_OUTCOME);
  }
  const now = store.now();
  const blobs = swept.flatMap(({ id, made }) => (made === undefined ? [id] : [...made]));
  await store.metadata.commit({ put: blobs.map((blob) => tombstone(now, blob, 'blob')) });
  const isEarly = swept.some(({ tombstone: { key } }) => tombstoneRecords.parse(key).due > now);
  if (!isEarly) throw new StorageError('RequestTimeout', TOO_LONG);
  store.reservedIds.forgetAll();
  throw new StorageError('ServiceUnavailable', SWEPT);
}

/** Whether a record with this content names a blob or manifest. */
const names = (content: Content, id: string): boolean =>
  !('inline' in content) &&
  (content.manifest === id || content.segments.some(({ blob }) => blob === id));
