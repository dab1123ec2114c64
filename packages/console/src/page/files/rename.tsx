import { useState } from 'preact/hooks';
import { storage } from '../storage.js';
import { Ask } from '../ui/dialog.js';
import { Field } from '../ui/field.js';
import { urlOf } from './file-table.js';

interface RenameProps {
  readonly bucket: string;
  readonly from: string;
  onClose(): void;
  onRenamed(to: string): void;
}

export function Rename({ bucket, from, onClose, onRenamed }: RenameProps) {
  const [key, setKey] = useState(from);
  const rename = async () => {
    if (urlOf(bucket, key) === undefined)
      throw new Error('Browsers cannot open a file with this key. Choose another one.');
    await storage.renameObject({ bucket, key, from, ifNoneMatch: '*' }).catch((error) => {
      if (error.code !== 'PreconditionFailed') throw error;
      throw new Error('An object with this key already exists. Choose another key.');
    });
    onRenamed(key);
  };
  const disabled = key === from || key === '';
  return (
    <Ask title="Rename" action="Rename" {...{ onClose, disabled, run: rename }}>
      <Field
        label="Key"
        value={key}
        onInput={setKey}
        hint="The full key, including folders."
        required
        autoFocus
      />
    </Ask>
  );
}
