import { Readable } from 'node:stream';
import { crc32Text, startChecksum } from '../content/checksums.js';
import { openContent } from '../content/reading.js';
import { stopOnAbort } from '../content/stop-on-abort.js';
import type { ChecksumAlgorithm, ObjectChecksum } from '../records/checksums.js';
import type { ObjectRecord } from '../records/objects.js';
import type { CopySource } from './copy-content.js';

/** The known checksums of an object. The one stored for clients comes first. */
export function checksumsOf({ checksum, crc32 }: ObjectRecord): readonly ObjectChecksum[] {
  const own: readonly ObjectChecksum[] = checksum === undefined ? [] : [checksum];
  if (crc32 === undefined) return own;
  return [...own, { algorithm: 'crc32', type: 'whole', value: crc32Text(crc32) }];
}

/** The checksums in a record. */
export type Summed = Pick<ObjectRecord, 'crc32' | 'checksum'>;

/**
 * The checksums of a copy. A copy has one part, so a checksum of parts is not copied. The data is
 * read only when the copy needs a checksum that is not known.
 */
export async function copiedChecksums(
  source: CopySource,
  object: ObjectRecord,
  algorithm: ChecksumAlgorithm | undefined,
): Promise<Summed> {
  const { crc32, checksum } = object;
  const whole = checksum?.type === 'whole' ? checksum : undefined;
  if (algorithm === undefined || algorithm === whole?.algorithm) return { crc32, checksum: whole };
  if (algorithm === 'crc32' && crc32 !== undefined) return { crc32 };
  const value = await computed(source, object, algorithm);
  return algorithm === 'crc32'
    ? { crc32: Number.parseInt(value, 16) }
    : { crc32, checksum: { algorithm, type: 'whole', value } };
}

const computed = (
  { store, name, signal, reading }: CopySource,
  object: ObjectRecord,
  algorithm: ChecksumAlgorithm,
): Promise<string> =>
  reading(async () => {
    const opened = await openContent(store, name, object, { start: 0, end: object.size });
    const running = await startChecksum(algorithm);
    const bytes = opened instanceof Readable ? opened : [opened];
    for await (const chunk of stopOnAbort(bytes, signal)) running.update(chunk);
    return running.done();
  });
