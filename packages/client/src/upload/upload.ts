import { refuseUnknown } from '../names.js';
import type { Operations } from '../operations.js';
import { KNOWN } from '../parameters.js';
import { Control, type UploadState } from './control.js';
import { locked } from './locked.js';
import type { Uploaded, UploadOptions } from './options.js';
import { partSizeFor } from './part-size.js';
import { known } from './source.js';
import { Transfer, type TransferContext } from './transfer.js';

/** A running upload. Await it, or keep it to pause, resume and abort it. */
export interface Upload extends Promise<Uploaded> {
  readonly state: UploadState;
  /** `undefined` until it is known, and for a body that is sent in one piece. */
  readonly uploadId: string | undefined;
  /** Stops sending. Data that has arrived is kept. */
  pause(): void;
  resume(): void;
  /**
   * Ends the upload and removes the data that has arrived. The upload rejects with an `AbortError`.
   */
  abort(): Promise<void>;
}

const OPTIONS = [
  ...['bucket', 'key', 'body', 'signal', 'onProgress', 'onInterruption', 'partSize'],
  ...['concurrency', 'resume', ...KNOWN],
];

export function startUpload(
  client: Operations,
  options: UploadOptions,
  around: TransferContext,
): Upload {
  refuseUnknown('upload() has no option', options, OPTIONS);
  const { signal, onInterruption, ...given } = options;
  const { concurrency = 1 } = given;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RangeError('concurrency must be a whole number, at least 1.');
  }
  const control = new Control(signal, onInterruption);
  const partSize = partSizeFor(known(given.body)?.size, given.partSize);
  const own = { __proto__: null, ...given, partSize };
  const transfer = new Transfer(client, control, own, around);
  const done = locked(around.place, options, () => transfer.run());
  const settled = done
    .then(
      () => {
        control.state = 'done';
      },
      (error) => control.end(error, 'failed'),
    )
    .finally(control.release);
  const upload = Object.assign(done, {
    pause: () => control.pause(),
    resume: () => control.resume(),
    async abort() {
      control.end(new DOMException('The upload was aborted.', 'AbortError'));
      await settled;
      await transfer.remove();
    },
  });
  return Object.defineProperties(upload, {
    state: { get: () => control.state },
    uploadId: { get: () => transfer.uploadId },
  }) as unknown as Upload;
}
