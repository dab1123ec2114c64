import { adoptedSegments, land, receive } from '../engine/content/receive.js';
import { putPart, requireUpload } from '../engine/uploads/uploads.js';
import { MAX_OBJECT_BYTES } from '../limits.js';
import { action } from './action.js';
import { crc32cFlag } from './parameters/checksums.js';
import { digests, expectedDigests } from './parameters/digests.js';
import { partNumber, uploadId } from './parameters/part-parameters.js';

/** Stores one part of an upload. A part with the same number is replaced. */
export const uploadPart = action({
  name: 'UploadPart',
  on: 'object',
  permission: 'WRITE',
  modifies: true,
  takes: 'bytes',
  parameters: { uploadId, partNumber, ...digests, ...crc32cFlag },

  async run({ store, bucket, permit, key, input, body }) {
    const upload = { bucket, key, uploadId: input.uploadId };
    await requireUpload(store, upload);
    const expected = expectedDigests(input);
    const received = await receive(store, body, { limit: MAX_OBJECT_BYTES, memory: 0, expected });
    const { size, digests } = received;
    const adopted = adoptedSegments(received);
    const part = { size, etag: digests.md5, content: adopted.content };
    return land(store, received, async () => {
      const number = input.partNumber;
      const { lastModified } = await putPart(store, permit, upload, number, adopted, part);
      const { md5: etag, crc32 } = digests;
      return { etag, crc32, size, lastModified: new Date(lastModified) };
    });
  },
});
