import type { StoredObject } from '@bucketware/client';
import { useState } from 'preact/hooks';
import { type Loading, useLoading } from '../loading.js';
import { ObjectAccess } from '../settings/object-access.js';
import { placeOf, unsaved } from '../settings/unsaved.js';
import { storage } from '../storage.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Icon } from '../ui/icons.js';
import { Busy, Failure, Notice } from '../ui/notice.js';
import { nameOf, numberText, sizeText, timeText, visible } from '../words.js';
import { DeleteFiles } from './delete-files.js';
import { downloadName, urlOf } from './file-table.js';
import { Preview } from './preview.js';
import { Rename } from './rename.js';
import { ShareLink } from './share-link.js';

interface DetailsProps {
  readonly bucket: string;
  readonly keyOfObject: string;
  readonly canShare: boolean;
  /** Opens the access rules at once. */
  readonly isEditing?: boolean;
  onClose(): void;
  onChanged(): void;
}

/** The properties of an object, its preview, and the actions on it. */
export function Details({
  bucket,
  keyOfObject: key,
  canShare,
  isEditing = false,
  onClose,
  onChanged,
}: DetailsProps) {
  const place = placeOf(bucket, 'files', key);
  const url = urlOf(bucket, key);
  const object = useLoading(
    (signal) => storage.getObjectMeta({ bucket, key, signal }),
    [bucket, key],
  );
  const [dialog, setDialog] = useState<'delete' | 'rename' | 'access' | undefined>(
    isEditing ? 'access' : undefined,
  );
  const closed = () => {
    onChanged();
    onClose();
  };
  if (dialog === 'delete') {
    return (
      <DeleteFiles
        {...{ bucket, keys: [key] }}
        onClose={() => setDialog(undefined)}
        onDeleted={() => {
          unsaved.set(place, undefined);
          closed();
        }}
      />
    );
  }
  if (dialog === 'rename') {
    return (
      <Rename
        {...{ bucket, from: key }}
        onClose={() => setDialog(undefined)}
        onRenamed={(to) => {
          unsaved.move(place, placeOf(bucket, 'files', to));
          closed();
        }}
      />
    );
  }
  if (dialog === 'access') {
    return <ObjectAccess {...{ bucket, objectKey: key }} onClose={() => setDialog(undefined)} />;
  }
  return (
    <Dialog title={nameOf(key)} wide onClose={onClose}>
      {url === undefined ? (
        <Notice kind="warning">
          Browsers cannot open a file with the key “{key}”. Rename it to open it.
        </Notice>
      ) : (
        <Shown {...{ bucket, object, canShare }} />
      )}
      <footer>
        <Button icon="trash" onClick={() => setDialog('delete')}>
          Delete
        </Button>
        <Button onClick={() => setDialog('rename')}>Rename</Button>
        {url !== undefined && (
          <>
            <Button onClick={() => setDialog('access')}>Access</Button>
            <a class="button primary" href={url} download={downloadName(key)}>
              <Icon name="download" />
              Download
            </a>
          </>
        )}
      </footer>
    </Dialog>
  );
}

interface ShownProps {
  readonly bucket: string;
  readonly object: Loading<StoredObject>;
  readonly canShare: boolean;
}

const Shown = ({ bucket, object, canShare }: ShownProps) => (
  <>
    {object.error !== undefined && <Failure error={object.error} retry={object.reload} />}
    {object.value === undefined ? (
      object.isLoading && <Busy />
    ) : (
      <>
        <Preview bucket={bucket} object={object.value} />
        <Facts object={object.value} />
        {canShare && <ShareLink {...{ bucket, objectKey: object.value.key }} />}
      </>
    )}
  </>
);

function Facts({ object }: { readonly object: StoredObject }) {
  const facts: Readonly<Record<string, string | undefined>> = {
    Key: visible(object.key),
    Size: `${sizeText(object.size)}${object.size < 1024 ? '' : ` (${numberText(object.size)} bytes)`}`,
    Type: object.contentType,
    Modified: timeText(object.lastModified),
    ETag: object.etag,
    Class: object.storageClass,
    Appendable: object.type === 'Appendable' ? 'Yes' : undefined,
    ...object.metadata,
  };
  return (
    <dl class="facts">
      {Object.entries(facts).map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd class={name === 'Key' || name === 'ETag' ? 'key' : ''}>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
