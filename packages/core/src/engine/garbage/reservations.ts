import type { Change } from '../../contracts/metadata-store.js';
import { StorageError } from '../../errors.js';
import { manifestRecords } from '../records/manifests.js';
import { type Garbage, type Reservation, tombstoneRecords } from '../records/tombstones.js';
import { newId, type ReservedIds, type Store } from '../store.js';
import { tombstone } from './tombstones.js';

/** An upload has this long to finish. */
const RESERVED_FOR = 7 * 24 * 60 * 60 * 1000;

/** An id that waited longer is not used: of the time that an upload has, little is gone. */
const FRESH_FOR = 10 * 60 * 1000;

/** An id that waits for its use, and since when. */
interface Ready {
  readonly reservation: Reservation;
  readonly since: number;
}

type Clock = Pick<Store, 'metadata' | 'now' | 'arriving'>;

/**
 * Ids for blobs whose tombstones are durable already, so that an upload need not wait for a commit of its
 * own before it writes. They are reserved a few at a time, in the background, and only by use: a
 * storage that is only read reserves none. What a crash leaves of them is swept when it is due.
 */
export class BlobIdPool implements ReservedIds {
  readonly #store: Clock;
  readonly #ahead: number;
  readonly #ready: Ready[] = [];
  /** How many ids callers wait for. */
  #wanted = 0;
  #filling: Promise<void> | undefined;

  /** So many ids are kept `ahead` of their use. */
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
    // When that fails, the next caller tries again, and gets the failure.
    if (this.#ready.length * 2 < this.#ahead) this.#fill().catch(() => {});
    return taken;
  }

  /** Gives back what was not used. */
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

/** Reserves the many blobs that a manifest names: one tombstone stands for all of them. */
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
    if (version === undefined) throw new Error('A commit that expects nothing was refused.');
    return ids.map((id) => ({
      id,
      tombstone: { key: tombstoneRecords.key({ due, id }), value: kind, version },
    }));
  } catch (error) {
    for (const id of ids) arriving.delete(id);
    throw error;
  }
}

/** The part of a change that takes the tombstones away, as records name the blobs from then on. */
export const adopt = (reservations: readonly Reservation[]): Change => ({
  expect: reservations.map(({ tombstone: { key, version } }) => ({ key, version })),
  delete: reservations.map(({ tombstone: { key } }) => key),
});

/** Bytes that no record names yet, and the part of a change that makes a record's content of them. */
export interface Adoption {
  readonly change: Change;
  readonly reserved: readonly Reservation[];
}

const TOO_LONG = 'The upload took longer than the seven days allowed.';
const SWEPT =
  'The bytes were removed before they had arrived: the clock of another process is days ahead. Try again.';

/**
 * To be asked when a commit that adopts bytes was refused: throws when it can only fail, as a sweep
 * has removed their tombstones. Bytes that were written after that get new ones.
 */
export async function requireAdoptable(store: Store, { reserved }: Adoption): Promise<void> {
  if (reserved.length === 0) return;
  const entries = await store.metadata.getMany(reserved.map(({ tombstone: { key } }) => key));
  const swept = reserved.filter((_, at) => entries[at] === undefined);
  if (swept.length === 0) return;
  const now = store.now();
  const blobs = swept.flatMap(({ id, made }) => (made === undefined ? [id] : [...made]));
  await store.metadata.commit({ put: blobs.map((blob) => tombstone(now, blob, 'blob')) });
  const isEarly = swept.some(({ tombstone: { key } }) => tombstoneRecords.parse(key).due > now);
  if (!isEarly) throw new StorageError('RequestTimeout', TOO_LONG);
  store.reservedIds.forgetAll();
  throw new StorageError('ServiceUnavailable', SWEPT);
}
