import type { ComponentChildren } from 'preact';
import { errorText } from '../words.js';
import { Icon, type IconName } from './icons.js';

interface NoticeProps {
  readonly kind?: 'info' | 'good' | 'bad' | 'warning';
  readonly children: ComponentChildren;
}

const ICONS: Readonly<Record<string, IconName>> = { good: 'check', bad: 'alert', warning: 'alert' };

export const Notice = ({ kind = 'info', children }: NoticeProps) => (
  <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
    {ICONS[kind] && <Icon name={ICONS[kind]} />}
    <div>{children}</div>
  </div>
);

/** A failure with a way to try again. */
export const Failure = ({ error, retry }: { readonly error: unknown; retry?(): void }) => (
  <Notice kind="bad">
    <span>{errorText(error)}</span>
    {retry && (
      <button type="button" class="as-link" onClick={retry}>
        Try again
      </button>
    )}
  </Notice>
);

/** Beside the name of a view where something is not saved. */
export const UnsavedMark = () => (
  <span class="unsaved" title="Unsaved changes">
    <span class="hidden"> (unsaved changes)</span>
  </span>
);

export const Busy = () => (
  <p class="busy" role="status">
    Loading…
  </p>
);

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}

export const Empty = ({ icon, title, children }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} />
    <p class="title">{title}</p>
    {children}
  </div>
);
