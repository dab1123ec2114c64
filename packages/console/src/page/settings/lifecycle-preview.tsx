import type { LifecycleRule } from '@bucketware/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { storage } from '../storage.js';
import { Button } from '../ui/button.js';
import { Field } from '../ui/field.js';
import { Failure } from '../ui/notice.js';
import { plural, sizeText, timeText } from '../words.js';
import { DAY, firstDue } from './lifecycle-due.js';

interface Example {
  readonly key: string;
  readonly rule: number;
  readonly at: number;
}

interface Preview {
  readonly examined: number;
  readonly deleted: number;
  readonly bytes: number;
  readonly aborted: number;
  readonly examples: readonly Example[];
  readonly isComplete: boolean;
}

const SHOWN = 10;

/** Counts what the rules would remove by a time, reporting after each page. */
async function tryRules(
  bucket: string,
  rules: readonly LifecycleRule[],
  now: number,
  signal: AbortSignal,
  report: (preview: Preview) => void,
): Promise<void> {
  const examples: Example[] = [];
  let [examined, deleted, bytes, aborted] = [0, 0, 0, 0];
  const reportAll = (isComplete: boolean) =>
    report({ examined, deleted, bytes, aborted, examples: [...examples], isComplete });
  const isDue = (action: LifecycleRule['action']['name'], key: string, time: Date): boolean => {
    const due = firstDue(rules, action, key, +time);
    if (due === undefined || due.at > now) return false;
    if (examples.length < SHOWN) examples.push({ key, ...due });
    return true;
  };
  for await (const { key, size, lastModified } of storage.objects({ bucket, signal })) {
    examined++;
    if (examined % 1000 === 0) reportAll(false);
    if (!isDue('DeleteObject', key, lastModified)) continue;
    deleted++;
    bytes += size;
  }
  for await (const { key, initiated } of storage.uploads({ bucket, signal })) {
    examined++;
    if (isDue('AbortMultipartUpload', key, initiated)) aborted++;
  }
  reportAll(true);
}

interface LifecyclePreviewProps {
  readonly bucket: string;
  readonly rules: readonly LifecycleRule[];
}

/** A dry run of the rules as they are edited. Nothing is removed. */
export function LifecyclePreview({ bucket, rules }: LifecyclePreviewProps) {
  const [days, setDays] = useState('0');
  const [preview, setPreview] = useState<Preview>();
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  // The last try was for other rules.
  useEffect(() => {
    running.current?.abort();
    setPreview(undefined);
  }, [JSON.stringify(rules), days]);
  const start = async () => {
    running.current?.abort();
    running.current = new AbortController();
    const { signal } = running.current;
    setError(undefined);
    const now = Date.now() + Number(days) * DAY;
    try {
      await tryRules(bucket, rules, now, signal, setPreview);
    } catch (failure) {
      if (!signal.aborted) setError(failure);
    }
  };
  return (
    <section class="card">
      <h2>Dry run</h2>
      <p class="hint">See what these rules would remove. Nothing is actually removed.</p>
      <div class="fields">
        <Field
          {...{ label: 'Days from now', type: 'number', min: 0, value: days, onInput: setDays }}
        />
        <Button class="beside" onClick={start}>
          Try the rules
        </Button>
      </div>
      {error !== undefined && <Failure error={error} retry={start} />}
      {preview !== undefined && <Result {...{ preview }} />}
    </section>
  );
}

const Result = ({ preview }: { readonly preview: Preview }) => {
  const { examined, deleted, bytes, aborted, examples, isComplete } = preview;
  return (
    <>
      <p role="status">
        <strong>
          {plural(deleted, 'file')} ({sizeText(bytes)}) and {plural(aborted, 'unfinished upload')}
        </strong>{' '}
        of {plural(examined, 'entry', 'entries')}
        {isComplete ? ' would be removed.' : ' so far…'}
      </p>
      {examples.length > 0 && (
        <ul class="keys">
          {examples.map(({ key, rule, at }) => (
            <li key={key}>
              <span class="key">{key}</span>{' '}
              <small class="hint">
                rule {rule + 1}
                {at > 0 && `, due ${timeText(new Date(at))}`}
              </small>
            </li>
          ))}
          {deleted + aborted > examples.length && (
            <li>and {plural(deleted + aborted - examples.length, 'more', 'more')}</li>
          )}
        </ul>
      )}
    </>
  );
};
