import { CHECKSUM_NAMES } from '../engine/content/digests.js';
import { adoptedSegments, land, receive } from '../engine/content/receive.js';
import type { RequestedChecksum } from '../engine/hashing.js';
import type { UploadRecord } from '../engine/records/uploads.js';
import { putPart, requireUpload } from '../engine/uploads/uploads.js';
import { StorageError } from '../errors.js';
import { MAX_OBJECT_BYTES } from '../limits.js';
import { action } from './action.js';
import { checksum, crc32cFlag, keptOf } from './parameters/checksums.js';
import { digests, expectedDigests } from './parameters/digests.js';
import { partNumber, uploadId } from './parameters/part-parameters.js';

/**
 * Stores one part of an upload. A part with the same number is replaced. Throws NoSuchUpload,
 * BadDigest and EntityTooLarge.
 */
export const uploadPart = action({
  name: 'UploadPart',
  on: 'object',
  permission: 'WRITE',
  modifies: true,
  takes: 'bytes',
  parameters: { uploadId, partNumber, ...digests, ...crc32cFlag, checksum },

  async run({ store, bucket, permit, key, input, body }) {
    const upload = { bucket, key, uploadId: input.uploadId };
    const { record } = await requireUpload(store, upload);
    const expected = expectedDigests({ ...input, checksum: promised(record, input.checksum) });
    const received = await receive(store, body, { limit: MAX_OBJECT_BYTES, memory: 0, expected });
    const { size, digests } = received;
    const adopted = adoptedSegments(received);
    const kept = keptOf(digests.checksums);
    const { content } = adopted;
    const part = { size, etag: digests.md5, ...(kept && { checksum: kept }), content };
    return land(store, received, async () => {
      const number = input.partNumber;
      const { lastModified } = await putPart(store, permit, upload, number, adopted, part);
      const { md5: etag, crc32, checksums } = digests;
      return { etag, crc32, checksums, size, lastModified: new Date(lastModified) };
    });
  },
});

/** The object's checksum is computed from those of its parts, so each part needs one. */
function promised(
  { checksum: upload }: UploadRecord,
  given: RequestedChecksum | undefined,
): RequestedChecksum | undefined {
  if (upload === undefined) return given;
  const { algorithm } = upload;
  if (given === undefined) return { algorithm };
  if (given.algorithm === algorithm) return given;
  const [expected, actual] = [CHECKSUM_NAMES[algorithm], CHECKSUM_NAMES[given.algorithm]];
  const message = `The upload was started with ${expected}, so its parts need that checksum, not ${actual}.`;
  throw new StorageError('InvalidArgument', message);
}
