import { StorageError, type Upload } from '@bucketware/client';
import { useEffect, useState } from 'preact/hooks';
import { reportRefusal } from '../denied.js';
import { getSession, storage } from '../storage.js';
import { errorText, visible } from '../words.js';
import { seldom } from './seldom.js';
import { isStored, isTaken } from './stored.js';

/** `taken`: the key has an object, and the user has not decided yet whether to replace it. */
export type TransferState = 'waiting' | 'running' | 'paused' | 'taken' | 'done' | 'failed';

export interface Transfer {
  readonly id: number;
  readonly bucket: string;
  readonly key: string;
  readonly file: File;
  state: TransferState;
  loaded: number;
  /** Why it failed, or why it has paused by itself. */
  problem?: string | undefined;
  /** The session has ended. */
  needsLogin?: boolean | undefined;
  /** A request was cut off, so it is unknown whether the server has carried it out. */
  wasCut?: boolean | undefined;
}

export interface NewTransfer {
  readonly bucket: string;
  readonly key: string;
  readonly file: File;
  /** The unfinished upload to continue, and the size of its parts. */
  readonly uploadId?: string | undefined;
  readonly partSize?: number | undefined;
  /** The user has agreed to replace the object with this key. Otherwise it is never replaced. */
  readonly replaces?: boolean | undefined;
  onDone?(): void;
}

/** How many files are uploaded at the same time, each with four parts at a time. */
const AT_ONCE = 2;

/** A larger file is not sent before it is known that its key is free, in bytes. */
const SMALL = 64 * 1024;

const ENDED =
  'This upload was completed or removed elsewhere: in another browser, by someone else, or by a ' +
  'lifecycle rule. If the file is not in the list, try again.';

/** Why an upload has paused by itself, and what the user can do. */
async function interruptionOf(
  error: StorageError,
  { bucket, key }: Pick<Transfer, 'bucket' | 'key'>,
): Promise<Pick<Transfer, 'problem' | 'needsLogin'>> {
  if (error.status !== 401 && error.status !== 403) return { problem: errorText(error) };
  // Without a session, the storage sees an anonymous user, and refuses with 403.
  const session = await getSession().catch(() => undefined);
  if (error.status === 401 || session?.user === undefined) {
    return { problem: 'Your session has ended. Log in, then continue.', needsLogin: true };
  }
  const problem =
    `You may not upload ${visible(key)} to ${bucket}, or you have reached a limit of the app. ` +
    'Ask the owner of the bucket for the permission to write, then continue.';
  return { problem };
}

/** The uploads of this page. They continue while the user views something else. */
class UploadQueue {
  transfers: readonly Transfer[] = [];
  readonly #uploads = new Map<number, Upload>();
  readonly #waiting = new Map<number, NewTransfer>();
  readonly #listeners = new Set<() => void>();
  #last = 0;

  add(all: readonly NewTransfer[]): void {
    const added = all.map((given): Transfer => {
      const { bucket, key, file } = given;
      const id = ++this.#last;
      this.#waiting.set(id, given);
      return { id, bucket, key, file, state: 'waiting', loaded: 0 };
    });
    this.transfers = [...added.reverse(), ...this.transfers];
    this.#startNext();
  }

  pause(id: number): void {
    this.#uploads.get(id)?.pause();
    this.#change(id, { state: 'paused', wasCut: true });
  }

  resume(id: number): void {
    this.#uploads.get(id)?.resume();
    this.#change(id, { state: 'running', problem: undefined, needsLogin: false });
  }

  /** Retries a failed upload. Data that has arrived is not sent again. */
  retry({ id, bucket, key, file }: Transfer): void {
    this.#forget(id);
    this.add([{ bucket, key, file }]);
  }

  /** Cancels an upload and removes the data that has arrived. */
  async cancel(id: number): Promise<void> {
    const upload = this.#uploads.get(id);
    this.#forget(id);
    // If it cannot be removed now, it stays in the list of unfinished uploads.
    await upload?.abort().catch(() => {});
  }

  /** Uploads these files, which replace the stored ones. Data that has arrived is not sent again. */
  replace(ids: readonly number[]): void {
    for (const id of this.#taken(ids)) this.#change(id, { state: 'waiting' });
    this.#startNext();
  }

  /** Leaves the stored files as they are. */
  decline(ids: readonly number[]): void {
    for (const id of this.#taken(ids)) void this.cancel(id);
  }

  clear(): void {
    this.transfers = this.transfers.filter(({ state }) => state !== 'done');
    this.#notify();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #startNext(): void {
    this.#notify();
    const active = this.transfers.filter(({ state }) => state === 'running').length;
    const next = this.transfers.findLast(({ state }) => state === 'waiting');
    if (next === undefined || active >= AT_ONCE) return;
    const given = this.#waiting.get(next.id) as NewTransfer;
    this.#waiting.delete(next.id);
    this.#change(next.id, { state: 'running' });
    void this.#run(next.id, given);
    this.#startNext();
  }

  async #run(id: number, given: NewTransfer): Promise<void> {
    const { file, onDone, replaces = false, ...target } = given;
    const object = { bucket: given.bucket, key: given.key };
    const looksFirst = !replaces && (file.size > SMALL || given.uploadId !== undefined);
    if (looksFirst && (await isTaken(object))) return this.#ask(id, given);
    const { state } = this.#find(id) ?? {};
    if (state === undefined) return; // It was cancelled meanwhile.
    const upload = storage.upload({
      ...{ ...target, body: file, ifNoneMatch: replaces ? undefined : '*' },
      onProgress: ({ loaded }) => this.#change(id, { loaded }),
      onInterruption: async (error) => {
        reportRefusal(error);
        const { problem, needsLogin } = await interruptionOf(error, object);
        this.#change(id, { state: 'paused', problem, needsLogin, wasCut: true });
      },
    });
    if (state === 'paused') upload.pause();
    this.#uploads.set(id, upload);
    try {
      await upload;
      this.#finish(id, given);
    } catch (error) {
      const code = error instanceof StorageError ? error.code : undefined;
      if (code === 'PreconditionFailed') {
        const isOwn = this.#find(id)?.wasCut === true && (await isStored(object, file));
        return isOwn ? this.#finish(id, given) : this.#ask(id, given);
      }
      const isEnded = code === 'NoSuchUpload';
      if (isEnded) onDone?.(); // The list may have the file now.
      this.#end(id, { state: 'failed', problem: isEnded ? ENDED : errorText(error) });
    }
  }

  #finish(id: number, { file, onDone }: NewTransfer): void {
    this.#end(id, { state: 'done', loaded: file.size });
    onDone?.();
  }

  /** Waits for the user's answer. */
  #ask(id: number, given: NewTransfer): void {
    const isCancelled = this.#find(id) === undefined;
    if (!isCancelled) {
      const { uploadId = given.uploadId } = this.#uploads.get(id) ?? {};
      this.#waiting.set(id, { ...given, uploadId, replaces: true });
      // Parts that were there before are kept even if the user declines.
      if (given.uploadId !== undefined) this.#uploads.delete(id);
      this.#change(id, { state: 'taken', wasCut: false });
    }
    this.#startNext();
  }

  #taken(ids: readonly number[]): readonly number[] {
    return ids.filter((id) => this.#find(id)?.state === 'taken');
  }

  #end(id: number, change: Partial<Transfer>): void {
    this.#uploads.delete(id);
    this.#change(id, change);
    this.#startNext();
  }

  #find(id: number): Transfer | undefined {
    return this.transfers.find((one) => one.id === id);
  }

  #forget(id: number): void {
    this.#waiting.delete(id);
    this.transfers = this.transfers.filter((transfer) => transfer.id !== id);
    this.#startNext();
  }

  #change(id: number, change: Partial<Transfer>): void {
    this.transfers = this.transfers.map((one) => (one.id === id ? { ...one, ...change } : one));
    this.#notify();
  }

  /** Many small files change the list more often than it can be shown. */
  readonly #notify = seldom(50, () => {
    for (const listener of this.#listeners) listener();
  });
}

export const queue = new UploadQueue();

export const isUnderWay = ({ state }: Transfer): boolean => state !== 'done' && state !== 'failed';

/** Browsers ask the user before they leave a page with uploads. */
addEventListener('beforeunload', (event) => {
  if (queue.transfers.some(isUnderWay)) event.preventDefault();
});

/** A browser opens a file that is dropped beside the drop zone, in place of the page. */
for (const name of ['dragover', 'drop'] as const) {
  addEventListener(name, (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
}

export function useTransfers(): readonly Transfer[] {
  const [transfers, setTransfers] = useState(queue.transfers);
  useEffect(() => queue.subscribe(() => setTransfers(queue.transfers)), []);
  return transfers;
}
