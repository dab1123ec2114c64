import { useEffect, useRef, useState } from 'preact/hooks';
import { Files } from './files/files.js';
import { goTo, hrefOf, TABS, type Tab } from './route.js';
import { AccessEditor } from './settings/access.js';
import { CorsEditor } from './settings/cors.js';
import { LifecycleEditor } from './settings/lifecycle.js';
import { placeOf, unsaved, useUnsaved } from './settings/unsaved.js';
import { storage } from './storage.js';
import { IconButton } from './ui/button.js';
import { Ask } from './ui/dialog.js';
import { UnsavedMark } from './ui/notice.js';
import { UnfinishedUploads } from './unfinished.js';
import { FoldersUsage } from './usage.js';

const NAMES: Readonly<Record<Tab, string>> = {
  files: 'Files',
  uploads: 'Unfinished uploads',
  usage: 'Usage',
  access: 'Access',
  cors: 'CORS',
  lifecycle: 'Lifecycle',
};

interface BucketViewProps {
  readonly bucket: string;
  readonly tab: Tab;
  readonly prefix: string;
  readonly canShare: boolean;
  onDeleted(): void;
}

export function BucketView({ bucket, tab, prefix, canShare, onDeleted }: BucketViewProps) {
  const [isDeleting, setDeleting] = useState(false);
  const tabs = useRef<HTMLElement>(null);
  const places = [...useUnsaved().keys()];
  const isUnsaved = (name: Tab) =>
    places.some((place) => `${place}/`.startsWith(placeOf(bucket, name, '')));
  // On a phone, not all tabs fit.
  useEffect(() => {
    const current = tabs.current?.querySelector('[aria-current]');
    current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [tab]);
  const remove = async () => {
    await storage.deleteBucket({ bucket });
    unsaved.drop(bucket);
    onDeleted();
    goTo();
  };
  return (
    <>
      <header class="page">
        <h1>{bucket}</h1>
        <IconButton icon="trash" label="Delete the bucket" onClick={() => setDeleting(true)} />
      </header>
      <nav ref={tabs} class="tabs" aria-label={`Bucket ${bucket}`}>
        {TABS.map((name) => (
          <a
            key={name}
            href={hrefOf(bucket, name)}
            aria-current={name === tab ? 'page' : undefined}
          >
            {NAMES[name]}
            {isUnsaved(name) && <UnsavedMark />}
          </a>
        ))}
      </nav>
      {tab === 'files' && <Files {...{ bucket, prefix, canShare }} />}
      {tab === 'uploads' && <UnfinishedUploads bucket={bucket} />}
      {tab === 'usage' && <FoldersUsage bucket={bucket} prefix={prefix} />}
      {tab === 'access' && <AccessEditor bucket={bucket} />}
      {tab === 'cors' && <CorsEditor bucket={bucket} />}
      {tab === 'lifecycle' && <LifecycleEditor bucket={bucket} />}
      {isDeleting && (
        <Ask
          title={`Delete the bucket ${bucket}?`}
          action="Delete"
          kind="danger"
          onClose={() => setDeleting(false)}
          run={remove}
        >
          <p>
            The bucket must be empty. Its settings and unfinished uploads are deleted with it. This
            cannot be undone.
          </p>
        </Ask>
      )}
    </>
  );
}
