import type { Checksums } from './checksums/index.js';
import { hasCode, StorageError } from './errors.js';
import { refuseUnknown } from './names.js';
import { withContent } from './object-headers.js';
import type { Operations } from './operations.js';
import type { ObjectContent, OfObject, StoredObject } from './types.js';

export interface DownloadProgress {
  readonly loaded: number;
  readonly total: number;
}

export interface DownloadOptions extends OfObject {
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/** What an earlier download has received. */
export interface Received {
  readonly size: number;
  readonly crc32: number;
  readonly etag: string;
}

/** How many times in a row a download continues without receiving a byte. */
const MOST_FAILURES = 6;

/** Whether data is stored in a form that `fetch` decodes. */
export const isEncoded = ({ contentEncoding }: StoredObject): boolean =>
  ![undefined, 'identity', 'aws-chunked'].includes(contentEncoding);

/**
 * An object whose body continues after the connection breaks. The body fails if its CRC-32,
 * compared at the end, differs from that of the stored data.
 */
export async function download(
  client: Operations,
  { onProgress, ...name }: DownloadOptions,
  checksums: Checksums,
  earlier?: Received,
): Promise<ObjectContent> {
  refuseUnknown('download() has no option', name, ['bucket', 'key', 'signal']);
  /** How much of the response to leave out. */
  let known = 0;
  const from = async (start: number, etag: string) => {
    const range = start > 0 ? `bytes=${start}-` : undefined;
    const rest = await client.getObject({ ...name, range, ifMatch: etag }).catch(explainReplaced);
    // A proxy with a cache may leave out the condition and the range, and one that compresses data
    // may change the ETag.
    if (start > 0 && rest.etag !== etag) throw replaced();
    known = rest.isPartial ? 0 : start;
    return rest;
  };
  const object = await (earlier ? from(earlier.size, earlier.etag) : client.getObject(name));
  const { size: total, etag, contentCrc32 } = object;
  // fetch has already decoded the body, so its bytes are not the stored ones.
  const isDecoded = isEncoded(object);
  let reader = object.body.getReader();
  let loaded = earlier?.size ?? 0;
  let crc = earlier?.crc32 ?? 0;
  let failures = 0;
  let isEnded = false;
  let failure: unknown;

  const end = (reason?: unknown) => {
    isEnded = true;
    // A connection that has already failed rejects with its own error.
    return reader.cancel(reason).catch(() => {});
  };

  const goOn = async (error: unknown) => {
    name.signal?.throwIfAborted();
    if (isDecoded || ++failures > MOST_FAILURES) throw broken(error);
    reader = (await from(loaded, etag)).body.getReader();
    if (isEnded) await end(); // It was cancelled during the request.
  };

  /** The next bytes, or `undefined` at the end. If reading fails, another response continues. */
  const read = async () => {
    for (;;) {
      let error: unknown;
      try {
        const { done, value } = await reader.read();
        if (!done) {
          const bytes = value.subarray(known);
          known -= value.length - bytes.length;
          if (bytes.length > 0) return bytes;
          continue;
        }
        if (isDecoded) return undefined;
      } catch (reason) {
        error = reason;
      }
      if (isEnded || (!isDecoded && loaded === total)) return undefined;
      await goOn(error);
    }
  };

  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const bytes = await read();
        if (isEnded) return;
        if (bytes === undefined) {
          if (!isDecoded && contentCrc32 !== undefined && crc !== contentCrc32) throw damaged();
          return controller.close();
        }
        failures = 0;
        loaded += bytes.length;
        if (!isDecoded && loaded > total) throw damaged();
        crc = checksums.crc32(bytes, crc);
        onProgress?.({ loaded, total });
        controller.enqueue(bytes);
      } catch (error) {
        failure = error;
        void end(error);
        throw error;
      }
    },
    cancel: end,
  });
  return withContent(object, body, false, () => failure);
}

const broken = (cause: unknown) => {
  const message = 'The download was interrupted. Try again.';
  return new StorageError('NetworkError', message, { cause });
};

function explainReplaced(error: unknown): never {
  throw hasCode(error, 'PreconditionFailed') ? replaced(error) : error;
}

const replaced = (cause?: unknown) => {
  const message = 'The object was replaced during the download. Start it again.';
  return new StorageError('PreconditionFailed', message, { status: 412, cause });
};

const damaged = () => {
  const message = 'The received data differs from the stored data. Try again.';
  return new StorageError('ChecksumMismatch', message);
};
