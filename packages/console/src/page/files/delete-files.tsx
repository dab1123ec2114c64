import { useState } from 'preact/hooks';
import { storage } from '../storage.js';
import { Ask } from '../ui/dialog.js';
import { plural, visible } from '../words.js';

interface DeleteFilesProps {
  readonly bucket: string;
  /** The keys of objects. The key of a folder's own object ends with a slash. */
  readonly keys: readonly string[];
  /** The prefixes of folders, which are deleted with everything in them. */
  readonly folders?: readonly string[];
  onClose(): void;
  onDeleted(): void;
}

const SHOWN = 8;

export function DeleteFiles({ bucket, keys, folders = [], onClose, onDeleted }: DeleteFilesProps) {
  const [done, setDone] = useState(0);
  const all = [...folders, ...keys];
  const run = async () => {
    await deleteAll(bucket, { keys, folders }, setDone);
    onDeleted();
  };
  return (
    <Ask
      title={`Delete ${plural(all.length, 'item')}?`}
      action="Delete"
      kind="danger"
      {...{ onClose, run }}
    >
      <ul class="keys">
        {all.slice(0, SHOWN).map((key) => (
          <li key={key} class="key">
            {visible(key)}
          </li>
        ))}
        {all.length > SHOWN && <li>and {plural(all.length - SHOWN, 'more', 'more')}</li>}
      </ul>
      <p>
        {folders.length > 0 && 'Folders are deleted with everything in them. '}
        This cannot be undone.
      </p>
      {done > 0 && <p role="status">{plural(done, 'object')} deleted so far…</p>}
    </Ask>
  );
}

/** The most that one request accepts. */
const BATCH = 1000;

async function deleteAll(
  bucket: string,
  { keys, folders }: Required<Pick<DeleteFilesProps, 'keys' | 'folders'>>,
  report: (done: number) => void,
): Promise<void> {
  let batch: { readonly key: string }[] = [];
  let done = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    const { errors } = await storage.deleteMultipleObjects({ bucket, objects: batch });
    // It was already deleted elsewhere.
    const failed = errors.filter(({ code }) => code !== 'NoSuchKey');
    done += batch.length - failed.length;
    batch = [];
    report(done);
    const [first] = failed;
    if (first !== undefined) {
      throw new Error(`${plural(failed.length, 'object')} cannot be deleted. ${first.message}`);
    }
  };
  const add = async (object: { readonly key: string }) => {
    batch.push(object);
    if (batch.length === BATCH) await flush();
  };
  for (const prefix of folders) {
    for await (const object of storage.objects({ bucket, prefix })) await add(object);
  }
  for (const key of keys) await add({ key });
  await flush();
}
