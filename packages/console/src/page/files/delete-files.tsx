import { useState } from 'preact/hooks';
import { storage } from '../storage.js';
import { Ask } from '../ui/dialog.js';
import { plural, visible } from '../words.js';

interface DeleteFilesProps {
  readonly bucket: string;
  /** Keys, and folders with a slash at the end. */
  readonly keys: readonly string[];
  onClose(): void;
  onDeleted(): void;
}

const SHOWN = 8;

export function DeleteFiles({ bucket, keys, onClose, onDeleted }: DeleteFilesProps) {
  const [done, setDone] = useState(0);
  const hasFolders = keys.some((key) => key.endsWith('/'));
  const run = async () => {
    await deleteAll(bucket, keys, setDone);
    onDeleted();
  };
  return (
    <Ask
      title={`Delete ${plural(keys.length, 'item')}?`}
      action="Delete"
      kind="danger"
      {...{ onClose, run }}
    >
      <ul class="keys">
        {keys.slice(0, SHOWN).map((key) => (
          <li key={key} class="key">
            {visible(key)}
          </li>
        ))}
        {keys.length > SHOWN && <li>and {plural(keys.length - SHOWN, 'more', 'more')}</li>}
      </ul>
      <p>
        {hasFolders && 'Folders are deleted with everything in them. '}
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
  keys: readonly string[],
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
  for (const key of keys) {
    if (!key.endsWith('/')) batch.push({ key });
    else {
      for await (const object of storage.objects({ bucket, prefix: key })) {
        batch.push(object);
        if (batch.length === BATCH) await flush();
      }
    }
    if (batch.length === BATCH) await flush();
  }
  await flush();
}
