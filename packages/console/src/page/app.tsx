import { useEffect, useState } from 'preact/hooks';
import { BucketView } from './bucket-view.js';
import { CreateBucket } from './create-bucket.js';
import { onRefusal } from './denied.js';
import { UploadPanel } from './files/upload-panel.js';
import { Home } from './home.js';
import { type Loading, useLoading } from './loading.js';
import { useRoute } from './route.js';
import { unsaved } from './settings/unsaved.js';
import { Sidebar } from './sidebar.js';
import { getSession, type Session, storage } from './storage.js';
import { useTheme } from './theme.js';
import { IconButton } from './ui/button.js';
import { Busy, Empty, Failure } from './ui/notice.js';

export function App() {
  const route = useRoute();
  const [theme, toggleTheme] = useTheme();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isCreating, setCreating] = useState(false);
  const session = useLoading(getSession, []);
  const user = session.value?.user;
  useEffect(() => onRefusal(session.reload), [session.reload]);
  useEffect(() => {
    if (user !== undefined) unsaved.belongTo(user.userId);
  }, [user?.userId]);
  const buckets = useLoading(
    async (signal) => (user === undefined ? [] : (await storage.listBuckets({ signal })).buckets),
    [user?.userId],
  );
  const { bucket, tab, prefix } = route;
  const title = session.value?.title ?? 'Storage';
  useEffect(() => {
    document.title = bucket === undefined ? title : `${bucket} – ${title}`;
    setMenuOpen(false);
  }, [bucket, title]);

  if (session.value === undefined) {
    return (
      <main class="alone">
        {session.isLoading ? <Busy /> : <Failure error={session.error} retry={session.reload} />}
      </main>
    );
  }
  if (user === undefined) return <LoggedOut session={session} />;
  return (
    <div class={isMenuOpen ? 'shell menu-open' : 'shell'}>
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <header class="top">
        <IconButton
          icon={isMenuOpen ? 'close' : 'menu'}
          label={isMenuOpen ? 'Close the menu' : 'Open the menu'}
          expanded={isMenuOpen}
          onClick={() => setMenuOpen(!isMenuOpen)}
        />
        <strong>{title}</strong>
      </header>
      <Sidebar
        {...{ title, theme, toggleTheme, user, buckets }}
        current={bucket}
        onCreate={() => setCreating(true)}
      />
      <main id="content" tabIndex={-1}>
        {bucket === undefined ? (
          <Home buckets={buckets} session={session.value} onCreate={() => setCreating(true)} />
        ) : (
          <BucketView
            key={bucket}
            {...{ bucket, tab, prefix, canShare: session.value.share }}
            onDeleted={buckets.reload}
          />
        )}
      </main>
      <UploadPanel loginUrl={session.value.loginUrl} />
      {isCreating && <CreateBucket onClose={() => setCreating(false)} onCreated={buckets.reload} />}
    </div>
  );
}

/** Not a link, because the hash of the URL is the route. */
const skip = (): void => document.getElementById('content')?.focus();

/** A user who logs in in another tab continues where the session ended. */
function LoggedOut({ session }: { readonly session: Loading<Session> }) {
  const loginUrl = session.value?.loginUrl;
  useEffect(() => {
    addEventListener('focus', session.reload);
    return () => removeEventListener('focus', session.reload);
  }, [session.reload]);
  return (
    <>
      <main class="alone">
        <Empty icon="bucket" title="You are not logged in.">
          {loginUrl !== undefined && (
            <a class="button primary" href={loginUrl}>
              Log in
            </a>
          )}
          <button type="button" class="as-link" onClick={session.reload}>
            Check again
          </button>
        </Empty>
      </main>
      <UploadPanel loginUrl={loginUrl} />
    </>
  );
}
