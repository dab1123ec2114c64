import type { UploadItem } from '@bucketware/client';
import { useRef, useState } from 'preact/hooks';
import { arrivedOf, resumeWarnings } from './files/arrived.js';
import { type NewTransfer, queue } from './files/upload-queue.js';
import { useLoading } from './loading.js';
import { storage } from './storage.js';
import { Button } from './ui/button.js';
import { Ask } from './ui/dialog.js';
import { Busy, Empty, Failure, Notice } from './ui/notice.js';
import { timeText, visible } from './words.js';

/** A file that may not be the one whose upload was interrupted. */
interface Doubtful {
  readonly next: NewTransfer;
  readonly doubts: readonly string[];
}

/** Uploads that were neither completed nor aborted. */
export function UnfinishedUploads({ bucket }: { readonly bucket: string }) {
  const page = useLoading((signal) => storage.listMultipartUploads({ bucket, signal }), [bucket]);
  const [removing, setRemoving] = useState<UploadItem>();
  const [pending, setPending] = useState<Doubtful>();
  const picker = useRef<HTMLInputElement>(null);
  const chosen = useRef<UploadItem | undefined>(undefined);
  if (page.error !== undefined) return <Failure error={page.error} retry={page.reload} />;
  if (page.value === undefined) return <Busy />;
  const { uploads, isTruncated } = page.value;
  if (uploads.length === 0) {
    return (
      <Empty icon="check" title="There are no unfinished uploads.">
        <p>Interrupted uploads are kept here until you continue or remove them.</p>
      </Empty>
    );
  }
  const pick = (upload: UploadItem) => {
    chosen.current = upload;
    picker.current?.click();
  };
  const goOn = async (file: File | undefined) => {
    const upload = chosen.current;
    if (file === undefined || upload === undefined) return;
    const { key, uploadId } = upload;
    const name = { bucket, key, uploadId };
    const arrived = await arrivedOf(name);
    const next = { ...name, file, partSize: arrived.partSize, onDone: page.reload };
    const doubts = resumeWarnings(file, key, arrived.size);
    if (doubts.length === 0) queue.add([next]);
    else setPending({ next, doubts });
  };
  return (
    <section class="card">
      <p class="hint">
        These uploads were interrupted. To continue one, choose the same file again: only the
        missing parts are sent.
      </p>
      <input
        ref={picker}
        type="file"
        class="hidden"
        tabIndex={-1}
        aria-label="File"
        onChange={({ currentTarget }) => {
          void goOn(currentTarget.files?.[0]);
          currentTarget.value = ''; // The same file can be chosen again.
        }}
      />
      <table>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col" class="wide-only">
              Started by
            </th>
            <th scope="col" class="wide-only">
              Started
            </th>
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {uploads.map((upload) => (
            <tr key={upload.uploadId}>
              <td class="key">{visible(upload.key)}</td>
              <td class="wide-only">{upload.owner.displayName}</td>
              <td class="wide-only">{timeText(upload.initiated)}</td>
              <td class="actions">
                <Button icon="play" onClick={() => pick(upload)}>
                  Continue
                </Button>
                <Button icon="trash" onClick={() => setRemoving(upload)}>
                  Remove
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {isTruncated && <Notice>There are more. Remove or continue some to see them.</Notice>}
      {pending !== undefined && (
        <Ask
          title="Is this the right file?"
          action="Upload this file"
          kind="danger"
          onClose={() => setPending(undefined)}
          run={async () => queue.add([pending.next])}
        >
          {pending.doubts.map((doubt) => (
            <p key={doubt}>{doubt}</p>
          ))}
          <p>If you upload this file, it replaces the parts that have arrived.</p>
        </Ask>
      )}
      {removing !== undefined && (
        <Ask
          title="Remove this upload?"
          action="Remove"
          kind="danger"
          onClose={() => setRemoving(undefined)}
          run={async () => {
            const { key, uploadId } = removing;
            await storage.abortMultipartUpload({ bucket, key, uploadId });
            page.reload();
          }}
        >
          <p class="key">{visible(removing.key)}</p>
          <p>
            The parts that have arrived are deleted. If someone is uploading this file right now,
            their upload fails.
          </p>
        </Ask>
      )}
    </section>
  );
}
