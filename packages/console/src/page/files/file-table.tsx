import type { ObjectItem } from '@bucketware/client';
import { hrefOf } from '../route.js';
import { storage } from '../storage.js';
import { Icon } from '../ui/icons.js';
import { sizeText, timeText, visible } from '../words.js';
import type { FileList } from './use-files.js';

interface FileTableProps {
  readonly bucket: string;
  /** The folder, which is left out of shown names. */
  readonly prefix: string;
  readonly files: FileList;
  readonly selected: ReadonlySet<string>;
  setSelected(selected: ReadonlySet<string>): void;
  setShown(key: string): void;
}

export const FileTable = ({
  bucket,
  prefix,
  files: { folders, objects },
  selected,
  setSelected,
  setShown,
}: FileTableProps) => {
  const keys = [...folders, ...objects.map(({ key }) => key)];
  const areAll = keys.length > 0 && keys.every((key) => selected.has(key));
  const toggle = (key: string) => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    setSelected(next);
  };
  if (keys.length === 0) return null;
  return (
    <table class="files">
      <thead>
        <tr>
          <th scope="col" class="check">
            <input
              type="checkbox"
              aria-label="Select all"
              checked={areAll}
              onChange={() => setSelected(new Set(areAll ? [] : keys))}
            />
          </th>
          <th scope="col">Name</th>
          <th scope="col" class="number">
            Size
          </th>
          <th scope="col" class="wide-only">
            Modified
          </th>
          <th scope="col">
            <span class="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {folders.map((folder) => (
          <tr key={folder}>
            <Check name={folder} isChecked={selected.has(folder)} toggle={() => toggle(folder)} />
            <td>
              <a class="name" href={hrefOf(bucket, 'files', folder)}>
                <Icon name="folder" />
                <span>{visible(folder.slice(prefix.length))}</span>
              </a>
            </td>
            <td class="number">–</td>
            <td class="wide-only">–</td>
            <td />
          </tr>
        ))}
        {objects.map((object) => (
          <ObjectRow
            key={object.key}
            {...{ bucket, object, prefix, isChecked: selected.has(object.key) }}
            toggle={() => toggle(object.key)}
            show={() => setShown(object.key)}
          />
        ))}
      </tbody>
    </table>
  );
};

interface ObjectRowProps {
  readonly bucket: string;
  readonly prefix: string;
  readonly object: ObjectItem;
  readonly isChecked: boolean;
  toggle(): void;
  show(): void;
}

const ObjectRow = ({ bucket, prefix, object, isChecked, toggle, show }: ObjectRowProps) => {
  const { key, size, lastModified } = object;
  const name = key === prefix ? '(the folder itself)' : visible(key.slice(prefix.length));
  return (
    <tr>
      <Check name={name} {...{ isChecked, toggle }} />
      <td>
        <button type="button" class="name" onClick={show}>
          <Icon name="file" />
          <span>{name}</span>
        </button>
      </td>
      <td class="number">{sizeText(size)}</td>
      <td class="wide-only">{timeText(lastModified)}</td>
      <td class="actions">
        <a
          class="icon-button"
          href={urlOf(bucket, key)}
          download={downloadName(key)}
          title={`Download ${name}`}
          aria-label={`Download ${name}`}
        >
          <Icon name="download" />
        </a>
      </td>
    </tr>
  );
};

/** The URL of an object. Undefined for the keys `.` and `..`, which browsers cannot open. */
export function urlOf(bucket: string, key: string): string | undefined {
  try {
    return storage.url({ bucket, key });
  } catch {
    return undefined; // url() throws nothing but TypeError.
  }
}

/** A file name for the user's disk: without a path, and without characters that systems forbid. */
export const downloadName = (key: string): string =>
  key
    .replace(/^.*\//, '')
    .replace(/[^\p{L}\p{N} ._()-]/gu, '_')
    .replace(/^\.+/, '') || 'download';

interface CheckProps {
  readonly name: string;
  readonly isChecked: boolean;
  toggle(): void;
}

const Check = ({ name, isChecked, toggle }: CheckProps) => (
  <td class="check">
    <input type="checkbox" aria-label={`Select ${name}`} checked={isChecked} onChange={toggle} />
  </td>
);
