import { adoptedSegments, land, receive } from '../engine/content/receive.js';
import { putPart, requireUpload } from '../engine/uploads/uploads.js';
import { crc32cFlag } from '../http/checksums.js';
import { digestHeaders, expectedDigests } from '../http/digest-headers.js';
import { META } from '../http/headers.js';
import { written } from '../http/object-headers.js';
import { operation } from '../http/operation.js';
import { partNumber, uploadId } from '../http/part-input.js';
import { empty } from '../http/render.js';
import { MAX_OBJECT_BYTES } from '../limits.js';

/** Takes one part of an upload. A part of the same number is replaced. */
export const uploadPart = operation({
  name: 'UploadPart',
  route: { method: 'PUT', on: 'object', query: ['partNumber', 'uploadId'] },
  permission: 'WRITE',
  // Clients send with each part what is set when the upload is completed.
  ignores: [`${META}*`],
  modifies: true,
  takes: 'bytes',
  input: { uploadId, partNumber, ...digestHeaders, ...crc32cFlag },

  async run({ store, bucket, permit, key, input, body }) {
    const upload = { bucket, key, uploadId: input.uploadId };
    await requireUpload(store, upload);
    const expected = expectedDigests(input);
    const received = await receive(store, body, { limit: MAX_OBJECT_BYTES, memory: 0, expected });
    const { size, digests } = received;
    const { content, change } = adoptedSegments(received);
    const part = { size, etag: digests.md5, content };
    return land(store, received, async () => {
      const number = input.partNumber;
      const { lastModified } = await putPart(store, permit, upload, number, change, part);
      const { md5: etag, crc32 } = digests;
      return { etag, crc32, size, lastModified: new Date(lastModified) };
    });
  },

  respond: ({ etag, crc32 }, { body }) => empty(200, written(etag, crc32, body.crc32c?.())),
});
