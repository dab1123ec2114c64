import type { Entry, MetadataSnapshot } from '../../contracts/metadata-store.js';
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
import { BlobCopies } from './blob-copies.js';
import { BackupDirectory, type BackupManifest, type LastBackup } from './directory.js';
import { withNewFile } from './files.js';
import { DirectoryLock } from './lock.js';
import { type BlobEntry, recordsBlock, writeBlock } from './records-file.js';
import { WorkingDirectory } from './working-directory.js';

/** How many records a page has. A single record may contain megabytes of inline data. */
const PAGE = 64;
const BLOBS_IN_BLOCK = 10_000;

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
  readonly #copies: BlobCopies;
  readonly #counts = { records: 0, blobs: undefined as number | undefined };

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
    const onCopied = () => this.#reportProgress();
    this.#copies = new BlobCopies({
      ...{ blobs: store.blobs, directory, work, signal },
      ...{ onProgress: onCopied, onError },
    });
  }

  async take(hold: GarbageHold, storage: string): Promise<BackupReport> {
    const taken = new Date(this.#store.now());
    const file = `records-${newId()}`;
    const needed = await withNewFile(this.#work.file(file), async (records) => {
      const found = new NeededBlobs();
      for await (const page of this.#pages()) {
        for (const entry of page) this.#take(found, entry);
        await writeBlock(records, recordsBlock(page));
        this.#counts.records += page.length;
        this.#reportProgress();
      }
      const sizes = found.sizes();
      this.#counts.blobs = sizes.size;
      await this.#copies.copy(sizes, found);
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
    const { records, blobs = 0 } = this.#counts;
    const last: LastBackup = {
      ...{ taken: taken.toISOString(), file, records },
      ...{ blobs: needed.size, bytes },
    };
    const manifest: BackupManifest = { format: 1, storage, last };
    await this.#work.publish(file);
    await this.#work.publishManifest(manifest);
    await this.#work.prune(manifest, (id) => needed.has(id)).catch(this.#onError);
    const { counts, missing } = this.#copies;
    return { records, blobs, ...counts, taken, bytes, missing };
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

  #reportProgress(): void {
    this.#onProgress?.({ ...this.#counts, ...this.#copies.counts });
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
