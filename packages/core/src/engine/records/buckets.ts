import type { Principal } from '../../contracts/principal.js';
import { RecordKind } from './kind.js';
import { isPrincipal } from './principals.js';
import type { SettingName } from './settings.js';
import { isBoolean, isNumber, isText, listOf, oneOf, optional, shape } from './shape.js';

/** Times in records are milliseconds since 1970. */
export interface BucketRecord {
  /** Part of the record keys of the bucket's objects, uploads and settings. */
  readonly id: string;
  readonly owner: Principal;
  readonly created: number;
  readonly storageClass: string;
  /**
   * Set while DeleteBucket looks for objects. A commit that adds an object clears it, so the
   * deletion notices, however the two interleave.
   */
  readonly closing: boolean;
  /** The settings that exist. Each has a separate record. */
  readonly settings: readonly SettingName[];
  /** Stored here because every access decision depends on it. */
  readonly publicAccessBlock?: PublicAccessBlock | undefined;
  /**
   * If set, the lists of the bucket and of its objects have no effect, and only the owner has
   * rights.
   */
  readonly objectOwnership?: ObjectOwnership | undefined;
}

/**
 * The setting with which lists have no effect. The owner of a bucket owns its objects in any case.
 */
export type ObjectOwnership = 'BucketOwnerEnforced';

/** How grants to everyone, or to every user, are blocked. */
export interface PublicAccessBlock {
  /** Whether requests that set a list with such grants fail. */
  readonly blockPublicAcls: boolean;
  /** Whether such grants in existing lists have no effect. */
  readonly ignorePublicAcls: boolean;
  /**
   * The same two settings for policies. Buckets have no policies here, so both are always
   * fulfilled.
   */
  readonly blockPublicPolicy: boolean;
  readonly restrictPublicBuckets: boolean;
}

const isPublicAccessBlock = shape<PublicAccessBlock>({
  blockPublicAcls: isBoolean,
  ignorePublicAcls: isBoolean,
  blockPublicPolicy: isBoolean,
  restrictPublicBuckets: isBoolean,
});

/** The records of buckets, by name. */
export const bucketRecords = new RecordKind<string, BucketRecord>({
  name: 'a bucket',
  prefix: 'b/',
  key: (name) => `b/${name}`,
  parse: (key) => key.slice(2),
  fits: shape<BucketRecord>({
    id: isText,
    owner: isPrincipal,
    created: isNumber,
    storageClass: isText,
    closing: isBoolean,
    settings: listOf(isText),
    publicAccessBlock: optional(isPublicAccessBlock),
    objectOwnership: optional(oneOf('BucketOwnerEnforced')),
  }),
});

/** Bucket names cannot contain `~`, so no bucket's id is the name of another. */
const ID_MARK = '~';
export const newBucketId = (name: string, random: string): string => name + ID_MARK + random;

/** The name of the bucket for which an id was created. */
export const nameOfBucketId = (bucketId: string): string => bucketId.split(ID_MARK)[0] as string;
