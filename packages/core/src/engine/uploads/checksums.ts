import { StorageError } from '../../errors.js';
import type { YieldIfDue } from '../concurrency/yielder.js';
import { startChecksum } from '../content/checksums.js';
import { CHECKSUM_NAMES, differs } from '../content/digests.js';
import { canBeJoined, joinedChecksum } from '../content/joined-crc.js';
import type { ChecksumAlgorithm, ObjectChecksum, UploadChecksum } from '../records/checksums.js';
import type { PackedPart } from '../records/part-lists.js';
import type { UploadedPart } from './listed-parts.js';
import { checksumOfPart } from './part-checksum.js';

/** How many checksums are computed or joined before others may get a turn. */
const AT_ONCE = 64;

/** The parts with their checksums. Throws InvalidArgument when the checksum of one is not known. */
export class SummedParts {
  readonly algorithm: ChecksumAlgorithm;
  readonly parts: readonly PackedPart[];

  private constructor(algorithm: ChecksumAlgorithm, parts: readonly PackedPart[]) {
    this.algorithm = algorithm;
    this.parts = parts;
  }

  static async of(
    uploaded: readonly UploadedPart[],
    algorithm: ChecksumAlgorithm,
    yieldIfDue: YieldIfDue,
  ): Promise<SummedParts> {
    const parts: PackedPart[] = [];
    for (const { partNumber, part } of uploaded) {
      if (parts.length % AT_ONCE === AT_ONCE - 1) await yieldIfDue();
      const checksum = checksumOfPart(part, algorithm)?.value;
      if (checksum === undefined) throw unknown(algorithm);
      parts.push({ partNumber, size: part.size, checksum });
    }
    return new SummedParts(algorithm, parts);
  }

  /** The checksum of the object that consists of the parts. */
  async checksum(type: ObjectChecksum['type'], yieldIfDue: YieldIfDue): Promise<ObjectChecksum> {
    const { algorithm, parts } = this;
    if (type === 'composite') {
      const running = await startChecksum(algorithm);
      running.update(Buffer.from(parts.map(({ checksum }) => checksum).join(''), 'hex'));
      return { algorithm, type, value: `${running.done()}-${parts.length}` };
    }
    const joined = joinedChecksum(algorithm);
    if (joined === undefined) throw unknown(algorithm);
    for (let at = 0; at < parts.length; at++) {
      if (at % AT_ONCE === AT_ONCE - 1) await yieldIfDue();
      const { checksum, size } = parts[at] as PackedPart;
      joined.add(checksum, size);
    }
    return { algorithm, type, value: joined.value };
  }
}

/** What a client announces about the object. */
export interface Announced {
  readonly checksums: readonly ObjectChecksum[];
  /** Must be the type of the upload's checksum. */
  readonly type: ObjectChecksum['type'] | undefined;
}

/**
 * The list of parts, and the checksum to store with their object: the one that the upload
 * announced, otherwise one that the client announces now. Throws BadDigest if an announced one
 * differs, InvalidArgument if it cannot be computed.
 */
export async function summarize(
  uploaded: readonly UploadedPart[],
  promised: UploadChecksum | undefined,
  { checksums, type }: Announced,
  yieldIfDue: YieldIfDue,
): Promise<{ readonly list: SummedParts; readonly checksum: ObjectChecksum | undefined }> {
  if (type !== undefined && promised !== undefined && type !== promised.type) {
    const message = `The upload was started for a ${promised.type} checksum, not a ${type} one.`;
    throw new StorageError('InvalidArgument', message);
  }
  const list = await SummedParts.of(
    uploaded,
    promised?.algorithm ?? commonAlgorithm(uploaded),
    yieldIfDue,
  );
  let kept = promised && (await list.checksum(promised.type, yieldIfDue));
  for (const expected of checksums) {
    const { algorithm } = expected;
    // Hashes of all data are never computed: an upload only has those of its parts.
    if (algorithm === kept?.algorithm && !canBeJoined(algorithm)) {
      if (kept.value === expected.value) continue;
      throw wholeDiffers(expected);
    }
    const summed =
      algorithm === list.algorithm ? list : await SummedParts.of(uploaded, algorithm, yieldIfDue);
    const actual = await summed.checksum(expected.type, yieldIfDue);
    if (actual.value !== expected.value) throw wholeDiffers(expected);
    kept ??= actual;
  }
  return { list, checksum: kept };
}

/** The algorithm that all parts have in common. Their CRC-32s are always known. */
function commonAlgorithm(uploaded: readonly UploadedPart[]): ChecksumAlgorithm {
  const algorithm = uploaded[0]?.part.checksum?.algorithm;
  const isCommon = uploaded.every(({ part }) => part.checksum?.algorithm === algorithm);
  return isCommon && algorithm !== undefined ? algorithm : 'crc32';
}

export const wholeDiffers = ({ algorithm }: ObjectChecksum) =>
  differs(`${CHECKSUM_NAMES[algorithm]} of the whole object`);

const unknown = (algorithm: ChecksumAlgorithm) =>
  new StorageError(
    'InvalidArgument',
    `The ${CHECKSUM_NAMES[algorithm]} of this object cannot be computed from its parts. Send it ` +
      'with every part, or leave it out.',
  );
