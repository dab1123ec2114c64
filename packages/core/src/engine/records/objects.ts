import type { OwnAcl } from './acls.js';
import { isGrants } from './acls.js';
import { isObjectChecksum, type ObjectChecksum } from './checksums.js';
import { type Content, type HeaderPair, isContent, isHeaderPairs } from './content.js';
import { RecordKind } from './kind.js';
import { isBytes, isNumber, isText, listOf, optional, shape, type Unchecked } from './shape.js';
import { isTags, type Tagged } from './tags.js';

export interface ObjectRecord extends OwnAcl, Tagged {
  readonly type: 'Normal' | 'Appendable';
  readonly size: number;
  /** The ETag, without quotes. */
  readonly etag: string;
  /** Hexadecimal MD5 of the data. Absent if it was never computed over the whole object. */
  readonly md5?: string | undefined;
  readonly crc32?: number | undefined;
  /** The checksum that a client requested. The CRC-32 of all data is in `crc32`. */
  readonly checksum?: ObjectChecksum | undefined;
  readonly lastModified: number;
  readonly storageClass: string;
  /** Content-Type and the other headers that GetObject returns. */
  readonly headers: readonly HeaderPair[];
  /** User metadata, with names without `x-svc-meta-`. */
  readonly metadata: readonly HeaderPair[];
  readonly content: Content;
  /** The upload that it was completed from. */
  readonly upload?: string;
  /** How many parts it was completed from. Their list is a separate record. */
  readonly parts?: number;
  /** The state for the next append. Only on appendable objects. */
  readonly append?: AppendState;
}

export interface AppendState {
  /** The running MD5, saved so that an append hashes only its own data. */
  readonly md5: Uint8Array;
  /** The opened storage that wrote the last segment. No other may write to its blob. */
  readonly writer: string;
  /** The last appends whose clients named them, oldest first. Repeated requests are recognized. */
  readonly made?: readonly MadeAppend[];
}

export interface MadeAppend {
  /** Stands for the caller and the id. */
  readonly name: string;
  /** The added data. */
  readonly length: number;
  readonly crc32: number;
  /** The object afterwards, for the response. */
  readonly after: {
    readonly size: number;
    readonly etag: string;
    readonly crc32?: number | undefined;
  };
}

export interface ObjectId {
  readonly bucketId: string;
  readonly key: string;
}

const isMadeAppend = shape<MadeAppend>({
  name: isText,
  length: isNumber,
  crc32: isNumber,
  after: shape<MadeAppend['after']>({ size: isNumber, etag: isText, crc32: optional(isNumber) }),
});

const isAppendState = shape<AppendState>({
  md5: isBytes,
  writer: isText,
  made: optional(listOf(isMadeAppend)),
});

/**
 * Written out because every listing checks a thousand of them: several times as fast as a `shape`.
 */
function isObjectRecord(value: unknown): value is ObjectRecord {
  if (typeof value !== 'object' || value === null) return false;
  const found = value as Unchecked<ObjectRecord>;
  return (
    (found.type === 'Normal' || found.type === 'Appendable') &&
    typeof found.size === 'number' &&
    typeof found.etag === 'string' &&
    (found.md5 === undefined || typeof found.md5 === 'string') &&
    (found.crc32 === undefined || typeof found.crc32 === 'number') &&
    (found.checksum === undefined || isObjectChecksum(found.checksum)) &&
    typeof found.lastModified === 'number' &&
    typeof found.storageClass === 'string' &&
    isHeaderPairs(found.headers) &&
    isHeaderPairs(found.metadata) &&
    isContent(found.content) &&
    (found.upload === undefined || typeof found.upload === 'string') &&
    (found.parts === undefined || typeof found.parts === 'number') &&
    (found.append === undefined || isAppendState(found.append)) &&
    (found.acl === undefined || isGrants(found.acl)) &&
    (found.aclId === undefined || typeof found.aclId === 'string') &&
    (found.tags === undefined || isTags(found.tags))
  );
}

export const objectRecords = new RecordKind<ObjectId, ObjectRecord>({
  name: 'an object',
  prefix: 'o/',
  key: ({ bucketId, key }) => `o/${bucketId}/${key}`,
  parse(key) {
    const slash = key.indexOf('/', 2);
    return { bucketId: key.slice(2, slash), key: key.slice(slash + 1) };
  },
  fits: isObjectRecord,
});

/** The common prefix of the keys of all objects of a bucket. */
export const objectsOf = (bucketId: string): string => `o/${bucketId}/`;
