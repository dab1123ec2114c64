import { Ask } from '../ui/dialog.js';
import { plural } from '../words.js';

interface ReplaceFilesProps {
  readonly replaced: readonly string[];
  onClose(): void;
  run(): Promise<void>;
}

export const ReplaceFiles = ({ replaced, onClose, run }: ReplaceFilesProps) => (
  <Ask
    title={`Replace ${plural(replaced.length, 'file')}?`}
    action="Replace"
    kind="danger"
    {...{ onClose, run }}
  >
    <p>The stored files are replaced when their upload is complete.</p>
    <ul class="keys">
      {replaced.map((path) => (
        <li key={path} class="key">
          {path}
        </li>
      ))}
    </ul>
  </Ask>
);
