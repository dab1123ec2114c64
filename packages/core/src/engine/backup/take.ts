import { BlobNotFoundError, BlobTooShortError } from '../../contracts/blob-store.js';
import type { Entry, MetadataSnapshot } from '../../contracts/metadata-store.js';
import { inParallel } from '../concurrency/parallel.js';
import { nextTurn } from '../concurrency/yielder.js';
import { GarbageHold, RENEW_EVERY } from '../garbage/holds.js';
import { NeededBlobs } from '../integrity/needed-blobs.js';
import { backupsRecord } from '../records/backups.js';
import { after } from '../records/keys.js';
import { RecordDamagedError } from '../records/kind.js';
import { leaseRecord } from '../records/lease.js';
import { storeRecord } from '../records/store-identity.js';
import { newId, type Store } from '../store.js';
import type { BackupOptions, BackupReport } from './backup-options.js';
import { BackupDirectory, type BackupManifest, type LastBackup } from './directory.js';
import { withNewFile } from './files.js';
import { DirectoryLock } from './lock.js';
import { type BlobEntry, recordsBlock, writeBlock } from './records-file.js';
import { WorkingDirectory } from './working-directory.js';

/** How many records a page has. A single record may contain megabytes of inline data. */
const PAGE = 64;
const BLOBS_IN_BLOCK = 10_000;
const BLOBS_AT_A_TIME = 8;

/** Records that matter only to running processes. */
const TRANSIENT: readonly string[] = [leaseRecord.key(), backupsRecord.key()];

/**
 * Backs up a storage that is in use: the records as of one instant, and the blobs that they name.
 * Meanwhile no process removes garbage. Takes about 150 bytes of memory for each blob.
 */
export async function takeBackup(
  store: Store,
  path: string,
  { onProgress, signal: given }: BackupOptions,
  onError: (error: unknown) => void,
): Promise<BackupReport> {
  const identity = await storeRecord.get(store.metadata, undefined);
  if (identity === undefined) throw new Error('The storage has no identity.');
  const storage = identity.value.id;
  const directory = new BackupDirectory(path);
  await directory.prepare(storage);
  const lock = await DirectoryLock.take(path);
  const lost = new AbortController();
  const signal = AbortSignal.any([lock.lost, lost.signal, ...(given === undefined ? [] : [given])]);
  try {
    signal.throwIfAborted();
    const work = await WorkingDirectory.create(directory, lock);
    try {
      // The manifest may have changed before this call had the lock.
      const manifest = await directory.prepare(storage);
      await work.begin(manifest ?? { format: 1, storage });
      const run = new Run(store, directory, work, signal, onProgress, onError);
      return await holding(store, lost, onError, (hold) => run.take(hold, storage));
    } finally {
      await work.remove().catch(onError);
    }
  } catch (error) {
    signal.throwIfAborted();
    await lock.check();
    throw withPlace(error, path);
  } finally {
    await lock.release();
  }
}

/** Delays the removal of garbage during the work, and aborts the work if the others stop waiting. */
async function holding<T>(
  store: Store,
  lost: AbortController,
  onError: (error: unknown) => void,
  work: (hold: GarbageHold) => Promise<T>,
): Promise<T> {
  const hold = await GarbageHold.take(store);
  const renewing = setInterval(() => {
    hold.tick().catch((error: unknown) => lost.abort(error));
  }, RENEW_EVERY).unref();
  try {
    return await work(hold);
  } finally {
    clearInterval(renewing);
    await hold.release().catch(onError); // Other processes notice by themselves within minutes.
  }
}

class Run {
  readonly #store: Store;
  readonly #directory: BackupDirectory;
  readonly #work: WorkingDirectory;
  readonly #signal: AbortSignal;
  readonly #onProgress: BackupOptions['onProgress'];
  readonly #onError: (error: unknown) => void;
  readonly #missing: string[] = [];
  readonly #progress = {
    ...{ records: 0, blobs: undefined as number | undefined },
    ...{ present: 0, copied: 0, copiedBytes: 0 },
  };

  constructor(
    store: Store,
    directory: BackupDirectory,
    work: WorkingDirectory,
    signal: AbortSignal,
    onProgress: BackupOptions['onProgress'],
    onError: (error: unknown) => void,
  ) {
    this.#store = store;
    this.#directory = directory;
    this.#work = work;
    this.#signal = signal;
    this.#onProgress = onProgress;
    this.#onError = onError;
  }

  async take(hold: GarbageHold, storage: string): Promise<BackupReport> {
    const taken = new Date(this.#store.now());
    const file = `records-${newId()}`;
    const needed = await withNewFile(this.#work.file(file), async (records) => {
      const found = new NeededBlobs();
      for await (const page of this.#pages()) {
        for (const entry of page) this.#take(found, entry);
        await writeBlock(records, recordsBlock(page));
        this.#progress.records += page.length;
        this.#reportProgress();
      }
      const sizes = found.sizes();
      this.#progress.blobs = sizes.size;
      await inParallel(sizes, BLOBS_AT_A_TIME, ([id, size]) => this.#copy(id, size));
      if (this.#missing.length > 0) await this.#copyRemains(sizes);
      const entries: BlobEntry[] = [...sizes];
      for (let at = 0; at < entries.length; at += BLOBS_IN_BLOCK) {
        await writeBlock(records, { blobs: entries.slice(at, at + BLOBS_IN_BLOCK) });
      }
      await writeBlock(records, undefined);
      return sizes;
    });
    await this.#directory.syncBlobs();
    await hold.renew();
    this.#signal.throwIfAborted();
    const bytes = [...needed.values()].reduce((sum, size) => sum + size, 0);
    const { records, blobs = 0 } = this.#progress;
    const last: LastBackup = {
      ...{ taken: taken.toISOString(), file, records },
      ...{ blobs: needed.size, bytes },
    };
    const manifest: BackupManifest = { format: 1, storage, last };
    await this.#work.publish(file);
    await this.#work.publishManifest(manifest);
    await this.#work.prune(manifest, (id) => needed.has(id)).catch(this.#onError);
    return { ...this.#progress, blobs, taken, bytes, missing: this.#missing };
  }

  async *#pages(): AsyncGenerator<readonly Entry[]> {
    const snapshot = await snapshotOf(this.#store);
    try {
      for (let start: string | undefined; ; ) {
        this.#signal.throwIfAborted();
        const page = await snapshot.list({ prefix: '', start, limit: PAGE });
        const last = page.at(-1);
        if (last === undefined) return;
        yield page.filter(({ key }) => !TRANSIENT.includes(key));
        await nextTurn();
        start = after(last.key);
      }
    } finally {
      await snapshot.close();
    }
  }

  /** A damaged record is backed up as it is. */
  #take(found: NeededBlobs, entry: Entry): void {
    try {
      found.take(entry);
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
      this.#onError(error);
    }
  }

  async #copy(id: string, size: number): Promise<void> {
    this.#signal.throwIfAborted();
    const known = await this.#directory.sizeOf(id);
    if (known === undefined || known < size) {
      const lost = await this.#copyBytes(id, size);
      if (lost !== undefined) {
        this.#missing.push(id);
        return this.#onError(lost);
      }
    }
    this.#progress.present++;
    this.#reportProgress();
  }

  /** Resolves to the reason if the storage itself has lost the blob or its end. */
  async #copyBytes(id: string, size: number): Promise<Error | undefined> {
    try {
      const bytes = await this.#store.blobs.read(id, { start: 0, end: size });
      await this.#work.addBlob(id, bytes, this.#signal);
    } catch (error) {
      if (error instanceof BlobNotFoundError || error instanceof BlobTooShortError) return error;
      throw error;
    }
    this.#progress.copied++;
    this.#progress.copiedBytes += size;
    return undefined;
  }

  /**
   * What the storage or the previous backup still has of the missing blobs may be all that is left
   * of them. The backup keeps the longer of the two. Afterwards, `sizes` says what it has.
   */
  async #copyRemains(sizes: Map<string, number>): Promise<void> {
    const missing = new Set(this.#missing);
    for await (const { id, size } of this.#store.blobs.list()) {
      if (!missing.has(id)) continue;
      const known = (await this.#directory.sizeOf(id)) ?? 0;
      const rest = Math.min(size, sizes.get(id) ?? 0);
      if (rest > known) await this.#copyBytes(id, rest);
    }
    for (const id of missing) {
      const kept = await this.#directory.sizeOf(id);
      if (kept === undefined) sizes.delete(id);
      else sizes.set(id, kept);
    }
  }

  #reportProgress(): void {
    this.#onProgress?.({ ...this.#progress });
  }
}

/**
 * Adds the directory to the message of a system error. The path in it says whether the backup's
 * disk failed or the storage's.
 */
function withPlace(cause: unknown, path: string): unknown {
  const { code, syscall } = cause as NodeJS.ErrnoException;
  if (!(cause instanceof Error) || syscall === undefined) return cause;
  const message = `The backup to ${path} failed; the previous backup is unchanged: ${cause.message}`;
  return Object.assign(new Error(message, { cause }), { code });
}

async function snapshotOf({ metadata }: Store): Promise<MetadataSnapshot> {
  if (metadata.snapshot !== undefined) return metadata.snapshot();
  throw new Error(
    'This metadata store has no snapshots, so the storage cannot be backed up while in use. ' +
      'Stop its writers and use copyStorage(), or keep the records in LMDB, SQLite or PostgreSQL.',
  );
}
