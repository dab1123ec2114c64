import { type Grant, type Permission, StorageError } from '@bucketware/client';
import { useRef } from 'preact/hooks';
import { hrefOf } from '../route.js';
import { storage } from '../storage.js';
import { Dialog } from '../ui/dialog.js';
import { Select } from '../ui/field.js';
import { nameOf } from '../words.js';
import { type Rules, useDraft } from './draft.js';
import { Editor } from './editor.js';
import { FRESH_GRANT, GrantFields } from './grant-fields.js';
import { explainObjectGrant, gainsPublic } from './grant-words.js';
import { placeOf } from './unsaved.js';

/** An object has no more than these: for the others, the rules of the bucket apply. */
const PERMISSIONS: readonly Permission[] = ['READ', 'FULL_CONTROL'];
const LISTS = { bucket: 'The rules of the bucket', own: 'Its own rules' } as const;

interface ObjectAccessProps {
  readonly bucket: string;
  readonly objectKey: string;
  onClose(): void;
}

/** Who may read one object. */
export function ObjectAccess({ bucket, objectKey: key, onClose }: ObjectAccessProps) {
  const draft = useDraft<Grant>(
    placeOf(bucket, 'files', key),
    async (signal) => {
      try {
        return (await storage.getObjectAcl({ bucket, key, signal })).accessControlList;
      } catch (error) {
        if (error instanceof StorageError && error.code === 'ObjectAclNotExists') return null;
        throw error;
      }
    },
    (rules) =>
      rules === null
        ? storage.deleteObjectAcl({ bucket, key })
        : storage.putObjectAcl({ bucket, key, accessControlList: rules }),
  );
  const { value } = draft;
  const own = useRef<Rules<Grant>>(null);
  if (value !== null) own.current = value;
  return (
    <Dialog title={`Access to ${nameOf(key)}`} wide onClose={onClose}>
      <Editor<Grant>
        {...{ draft, fresh: FRESH_GRANT, add: 'Add a rule', warning: gainsPublic(draft) }}
        about={
          <>
            The owner of the bucket may do everything. A file can have rules of its own for reading.
            They replace the <a href={hrefOf(bucket, 'access')}>rules of the bucket</a>, which still
            decide who may replace or delete the file.
          </>
        }
        head={
          <Select
            {...{ label: 'Reading is decided by', options: LISTS }}
            value={value === null ? 'bucket' : 'own'}
            onChange={(list) => draft.replaceAll(list === 'own' ? (own.current ?? []) : null)}
          />
        }
        none={
          value === null
            ? 'Whoever may read it by the rules of the bucket may read this file.'
            : 'Only the owner of the bucket may read this file.'
        }
        explain={explainObjectGrant}
        render={(grant, change) => <GrantFields {...{ grant, change, permissions: PERMISSIONS }} />}
      />
    </Dialog>
  );
}
