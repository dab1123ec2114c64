import { Ask } from '../ui/dialog.js';
import { plural, visible } from '../words.js';
import { queue, type Transfer } from './upload-queue.js';

/**
 * Asks whether uploads may replace the stored files with their keys. One question covers as many
 * files as possible, so it comes when no file waits for its turn.
 */
export function ReplaceFiles({ transfers }: { readonly transfers: readonly Transfer[] }) {
  const taken = transfers.filter(({ state }) => state === 'taken');
  if (taken.length === 0 || transfers.some(({ state }) => state === 'waiting')) return null;
  const ids = taken.map(({ id }) => id);
  return (
    <Ask
      key={ids.join()} // An answer is about these files only.
      title={`Replace ${plural(taken.length, 'file')}?`}
      action="Replace"
      kind="danger"
      onClose={() => queue.decline(ids)}
      run={async () => queue.replace(ids)}
    >
      <p>
        These files exist already. If you continue, the stored files are replaced when their upload
        is complete.
      </p>
      <ul class="keys">
        {taken.map(({ id, key }) => (
          <li key={id} class="key">
            {visible(key)}
          </li>
        ))}
      </ul>
    </Ask>
  );
}
