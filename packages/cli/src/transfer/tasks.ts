import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../context.js';
import { provisionalTime, STARTED, setFileTime } from '../files/file-time.js';
import { isSame } from '../files/same-content.js';
import { problemOfPath, type TargetDirectory } from '../files/target.js';
import type { RemotePlace } from '../location.js';
import type { Task, TransferOptions } from './carry-out.js';
import type { Entry } from './entry.js';
import { copy, download, isUnchanged, type UploadHeaders, upload } from './move-data.js';

interface Moves {
  /** Whether to remove the source once it has arrived. */
  readonly move?: boolean;
}

export interface UploadTasks extends Moves {
  readonly headers: UploadHeaders;
}

type Given = Pick<Context<TransferOptions>, 'store'>;

const shown = ({ bucket, key }: RemotePlace): string => `${bucket}:${key}`;

/** Uploads a file. `stored`: the object that it would replace. */
export function uploadTask(
  { store }: Given,
  file: Entry,
  to: RemotePlace,
  { headers, move = false, stored }: UploadTasks & { readonly stored: Entry | undefined },
): Task {
  const { path, size, error: problem } = file;
  const keepsHeaders = Object.values(headers).every((value) => value === undefined);
  return {
    what: `${move ? 'move' : 'upload'} ${path} to ${shown(to)}`,
    kind: 'copied',
    size,
    problem,
    async act(onBytes, signal) {
      const etag = keepsHeaders && stored?.size === size ? stored.etag : undefined;
      const same = etag !== undefined && (await isSame(path, etag, signal));
      const sent = same
        ? { ...file, etag }
        : await upload({ store, signal, onBytes }, file, to, headers);
      if (move) {
        // On network file systems, the size and the time may be those of a while ago.
        const hasArrived = same || (await isSame(path, sent.etag, signal));
        if (!hasArrived || !(await isUnchanged(sent))) throw changed(path);
        await rm(path);
      }
      return same ? 'same' : 'done';
    },
  };
}

const changed = (path: string) =>
  new Error(`${path} has changed during the upload, so it was not removed.`);

/** Downloads an object below a directory. */
export function downloadTask(
  { store }: Given,
  from: RemotePlace,
  { path, size, etag, modified }: Entry,
  target: TargetDirectory,
  { move = false, local }: Moves & { readonly local?: Entry | undefined } = {},
): Task {
  return {
    what: `${move ? 'move' : 'download'} ${shown(from)}`,
    kind: 'copied',
    size,
    problem: problemOfPath(path),
    act: (onBytes, signal) =>
      target.write(path, async (file) => {
        const mayBeSame = local?.size === size && etag !== undefined;
        const same = mayBeSame && (await isSame(file, etag, signal));
        if (!same) {
          const arrived = await download({ store, signal, onBytes }, from, size, file);
          // The data may be that of an earlier object, from a cache.
          if (move && arrived !== etag) throw new Error(`${shown(from)} has been replaced.`);
        } else if (local?.modified === provisionalTime(modified)) {
          await setFileTime(file, modified, STARTED);
        }
        if (move) await target.makeDurable(path);
        if (move) await store.client.deleteObject({ ...from, ifMatch: etag, signal });
        return same ? 'same' : 'done';
      }),
  };
}

/** Copies or moves an object within the storage. */
export function copyTask(
  { store }: Given,
  from: RemotePlace,
  { size, etag }: Entry,
  to: RemotePlace,
  { move = false }: Moves = {},
): Task {
  const isItself = from.bucket === to.bucket && from.key === to.key;
  return {
    what: `${move ? 'move' : 'copy'} ${shown(from)} to ${shown(to)}`,
    kind: 'copied',
    size,
    problem: isItself ? 'source and target are the same object' : undefined,
    async act(onBytes, signal) {
      if (move && from.bucket === to.bucket) {
        await store.client.renameObject({ ...to, from: from.key, signal });
        return 'done';
      }
      await copy({ store, signal, onBytes }, from, size, to);
      if (move) await store.client.deleteObject({ ...from, ifMatch: etag, signal });
      return 'done';
    },
  };
}

/** Deletes an object that the source does not have. */
export function deleteTask(
  { store: { client } }: Given,
  place: RemotePlace,
  { etag }: Entry,
): Task {
  return {
    what: `delete ${shown(place)}`,
    kind: 'deleted',
    size: 0,
    async act(_, signal) {
      await client.deleteObject({ ...place, ifMatch: etag, signal });
      return 'done';
    },
  };
}

/** Deletes a file that the source does not have. */
export function deleteFileTask(directory: string, entry: Entry): Task {
  const file = join(directory, entry.path);
  return {
    what: `delete ${file}`,
    kind: 'deleted',
    size: 0,
    problem: entry.error,
    async act() {
      if (!(await isUnchanged({ ...entry, path: file }))) {
        throw new Error(`${file} has changed meanwhile, so it was not deleted.`);
      }
      await rm(file);
      return 'done';
    },
  };
}
