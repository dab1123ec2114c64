import { useEffect, useRef, useState } from 'preact/hooks';
import { goTo } from '../route.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icons.js';
import { Busy, Empty, Failure } from '../ui/notice.js';
import { plural } from '../words.js';
import { Breadcrumb } from './breadcrumb.js';
import { DeleteFiles } from './delete-files.js';
import { Details } from './details.js';
import { type Chosen, chosenIn, droppedIn } from './dropped.js';
import { FileTable } from './file-table.js';
import { seldom } from './seldom.js';
import { UnsavedAccess } from './unsaved-access.js';
import { queue } from './upload-queue.js';
import { useFiles } from './use-files.js';

interface FilesProps {
  readonly bucket: string;
  readonly prefix: string;
  readonly canShare: boolean;
}

/** The files and folders below a prefix. */
export function Files({ bucket, prefix, canShare }: FilesProps) {
  const files = useFiles(bucket, prefix);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState<string>();
  const [isEditing, setEditing] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const [isOver, setOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  useEffect(() => setSelected(new Set()), [prefix]);
  // A search may end inside a name; uploads go to the folder.
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  // The object with the prefix of the folder as its key is a single item.
  const isFolder = (key: string) => key.endsWith('/') && key !== folder;

  const upload = (chosen: readonly Chosen[]) => {
    const onDone = seldom(1000, files.reload);
    queue.add(chosen.map(({ path, file }) => ({ bucket, key: folder + path, file, onDone })));
  };
  const edit = (key: string) => {
    setEditing(true);
    setShown(key);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer !== null) void droppedIn(event.dataTransfer).then(upload);
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  return (
    <section
      class={isOver ? 'drop-zone over' : 'drop-zone'}
      aria-label="Files"
      onDragOver={over}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={drop}
    >
      <div class="toolbar">
        <Search bucket={bucket} prefix={prefix} />
        {selected.size > 0 && (
          <Button icon="trash" kind="danger" onClick={() => setDeleting(true)}>
            Delete {plural(selected.size, 'item')}
          </Button>
        )}
        <Button icon="upload" kind="primary" onClick={() => picker.current?.click()}>
          Upload
        </Button>
        <input
          ref={picker}
          {...{ type: 'file', multiple: true, class: 'hidden', tabIndex: -1 }}
          aria-label="Files to upload"
          onChange={({ currentTarget }) => {
            upload(chosenIn(currentTarget.files));
            currentTarget.value = '';
          }}
        />
      </div>
      {shown === undefined && <UnsavedAccess bucket={bucket} open={edit} />}
      <Breadcrumb bucket={bucket} folder={folder} />
      {files.error !== undefined && <Failure error={files.error} retry={files.reload} />}
      {files.isEmpty ? (
        <Empty
          icon="upload"
          title={prefix === '' ? 'This bucket is empty.' : 'There is nothing here.'}
        >
          <p>Drop files or folders here, or choose Upload.</p>
        </Empty>
      ) : (
        <FileTable {...{ bucket, prefix: folder, files, selected, setSelected, setShown }} />
      )}
      {files.isLoading && <Busy />}
      {files.hasMore && !files.isLoading && (
        <p class="more">
          <Button onClick={files.more}>Show more</Button>
        </p>
      )}
      {isOver && (
        <div class="drop-hint">
          <Icon name="upload" /> Drop to upload to {folder === '' ? bucket : folder}
        </div>
      )}
      {shown !== undefined && (
        <Details
          {...{ bucket, canShare, isEditing, keyOfObject: shown }}
          onClose={() => {
            setEditing(false);
            setShown(undefined);
          }}
          onChanged={files.reload}
        />
      )}
      {isDeleting && (
        <DeleteFiles
          bucket={bucket}
          keys={[...selected].filter((key) => !isFolder(key))}
          folders={[...selected].filter(isFolder)}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            setSelected(new Set());
            files.reload();
          }}
        />
      )}
    </section>
  );
}

/** How long to wait after the last key press before searching, in milliseconds. */
const PAUSE = 250;

function Search({ bucket, prefix }: { readonly bucket: string; readonly prefix: string }) {
  const [text, setText] = useState(prefix);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (text === prefix) return;
    const timer = setTimeout(() => goTo(bucket, 'files', text), PAUSE);
    return () => clearTimeout(timer);
  }, [bucket, text]);
  // Shows a folder that was opened, too, but does not disturb typing.
  useEffect(() => {
    if (document.activeElement !== input.current) setText(prefix);
  }, [prefix]);
  return (
    <div class="search">
      <Icon name="search" />
      <input
        ref={input}
        {...{ type: 'search', value: text, autocomplete: 'off', spellcheck: false }}
        aria-label="Find keys that start with"
        placeholder="Find keys that start with …"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </div>
  );
}
