import { Ask } from '../ui/dialog.js';
import { plural } from '../words.js';
import type { Chosen } from './dropped.js';

interface ReplaceFilesProps {
  readonly chosen: readonly Chosen[];
  /** Names of files that are there. */
  readonly taken: ReadonlySet<string>;
  onClose(): void;
  upload(chosen: readonly Chosen[]): void;
}

export function ReplaceFiles({ chosen, taken, onClose, upload }: ReplaceFilesProps) {
  const replaced = chosen.filter(({ path }) => taken.has(path));
  return (
    <Ask
      title={`Replace ${plural(replaced.length, 'file')}?`}
      action="Replace"
      kind="danger"
      onClose={onClose}
      run={async () => upload(chosen)}
    >
      <p>The stored files are replaced when their upload is complete.</p>
      <ul class="keys">
        {replaced.map(({ path }) => (
          <li key={path} class="key">
            {path}
          </li>
        ))}
      </ul>
    </Ask>
  );
}
