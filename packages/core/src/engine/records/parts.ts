import { type Checksum, isChecksum } from './checksums.js';
import { isSegments, type Segments } from './content.js';
import { RecordKind } from './kind.js';
import { isNumber, isText, optional, shape } from './shape.js';

export interface PartRecord {
  readonly size: number;
  /** Hexadecimal MD5 of the part. */
  readonly etag: string;
  /**
   * A checksum that a client sent or that the upload requires. The CRC-32 is known from the
   * content.
   */
  readonly checksum?: Checksum | undefined;
  readonly lastModified: number;
  readonly content: Segments;
}

export interface PartId {
  readonly uploadId: string;
  readonly partNumber: number;
}

export const partRecords = new RecordKind<PartId, PartRecord>({
  name: 'a part of an upload',
  prefix: 'p/',
  key: ({ uploadId, partNumber }) => partsOf(uploadId) + String(partNumber).padStart(5, '0'),
  parse(key) {
    const slash = key.indexOf('/', 2);
    return { uploadId: key.slice(2, slash), partNumber: Number(key.slice(slash + 1)) };
  },
  fits: shape<PartRecord>({
    size: isNumber,
    etag: isText,
    checksum: optional(isChecksum),
    lastModified: isNumber,
    content: isSegments,
  }),
});

/** The common prefix of the keys of all parts of an upload. */
export const partsOf = (uploadId: string): string => `p/${uploadId}/`;
