import { crc32Text } from '../content/checksums.js';
import { joinedCrc32 } from '../content/joined-crc.js';
import type { Checksum, ChecksumAlgorithm } from '../records/checksums.js';
import type { PartRecord } from '../records/parts.js';

/** The checksum of a part; `undefined` if it is not known. */
export function checksumOfPart(
  { content, checksum }: PartRecord,
  algorithm: ChecksumAlgorithm,
): Checksum | undefined {
  if (checksum?.algorithm === algorithm) return checksum;
  if (algorithm !== 'crc32') return undefined;
  const [only, ...more] = content.segments;
  if (only !== undefined && more.length === 0) return { algorithm, value: crc32Text(only.crc32) };
  const joined = joinedCrc32();
  for (const { crc32, length } of content.segments) joined.add(crc32, length);
  return { algorithm, value: crc32Text(joined.value) };
}
