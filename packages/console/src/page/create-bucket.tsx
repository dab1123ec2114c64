import { useState } from 'preact/hooks';
import { goTo } from './route.js';
import { storage } from './storage.js';
import { Ask } from './ui/dialog.js';
import { Field } from './ui/field.js';

interface CreateBucketProps {
  onClose(): void;
  onCreated(): void;
}

export function CreateBucket({ onClose, onCreated }: CreateBucketProps) {
  const [bucket, setBucket] = useState('');
  const create = async () => {
    await storage.putBucket({ bucket });
    onCreated();
    goTo(bucket);
  };
  return (
    <Ask title="Create a bucket" action="Create" onClose={onClose} run={create}>
      <Field
        label="Name"
        value={bucket}
        onInput={(text) => setBucket(text.toLowerCase())}
        hint="3 to 63 characters: lowercase letters, digits and hyphens. New buckets are private."
        required
        autoFocus
      />
    </Ask>
  );
}
