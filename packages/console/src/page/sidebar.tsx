import { type BucketItem, StorageError } from '@bucketware/client';
import { type Loading, useLoading } from './loading.js';
import { hrefOf } from './route.js';
import { useUnsaved } from './settings/unsaved.js';
import { storage } from './storage.js';
import { Button, IconButton } from './ui/button.js';
import { Icon } from './ui/icons.js';
import { Failure, UnsavedMark } from './ui/notice.js';

interface SidebarProps {
  readonly title: string;
  readonly theme: 'light' | 'dark';
  readonly user: { readonly userName: string };
  readonly buckets: Loading<readonly BucketItem[]>;
  readonly current: string | undefined;
  toggleTheme(): void;
  onCreate(): void;
}

export const Sidebar = ({
  title,
  theme,
  user,
  buckets,
  current,
  toggleTheme,
  onCreate,
}: SidebarProps) => (
  <nav class="sidebar" aria-label="Buckets">
    <div class="brand">
      <Icon name="bucket" />
      <strong>{title}</strong>
    </div>
    <a class="item" href={hrefOf()} aria-current={current === undefined ? 'page' : undefined}>
      <Icon name="home" />
      Overview
    </a>
    <div class="heading">
      <h2>Buckets</h2>
      <IconButton icon="plus" label="Create a bucket" onClick={onCreate} />
    </div>
    {buckets.error !== undefined && <Failure error={buckets.error} retry={buckets.reload} />}
    <ul class="buckets">
      {buckets.value?.map(({ name }) => (
        <BucketLink key={name} name={name} isCurrent={name === current} />
      ))}
    </ul>
    {current !== undefined &&
      buckets.value !== undefined &&
      !buckets.value.some(({ name }) => name === current) && <NotOwn bucket={current} />}
    <div class="user">
      <span title={user.userName}>{user.userName}</span>
      <Button icon={theme === 'dark' ? 'sun' : 'moon'} onClick={toggleTheme}>
        {theme === 'dark' ? 'Light' : 'Dark'}
      </Button>
    </div>
  </nav>
);

interface BucketLinkProps {
  readonly name: string;
  readonly isCurrent: boolean;
}

function BucketLink({ name, isCurrent }: BucketLinkProps) {
  const isUnsaved = [...useUnsaved().keys()].some((place) => place.startsWith(`${name}/`));
  return (
    <li>
      <a
        class="item"
        href={hrefOf(name)}
        title={name}
        aria-current={isCurrent ? 'page' : undefined}
      >
        <Icon name="bucket" />
        <span>{name}</span>
        {isUnsaved && <UnsavedMark />}
      </a>
    </li>
  );
}

/** Why the current bucket is not in the list of the user's own buckets. */
function NotOwn({ bucket }: { readonly bucket: string }) {
  const { error, isLoading } = useLoading(
    (signal) => storage.headBucket({ bucket, signal }),
    [bucket],
  );
  if (isLoading) return null;
  const isMissing = error instanceof StorageError && error.status === 404;
  return (
    <p class="hint">
      {isMissing ? `There is no bucket ${bucket}.` : `You are not the owner of ${bucket}.`}
    </p>
  );
}
