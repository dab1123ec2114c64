import type { Principal } from '../../contracts/principal.js';
import { RecordKind } from './kind.js';
import { isPrincipal } from './principals.js';
import type { SettingName } from './settings.js';
import { isBoolean, isNumber, isText, listOf, oneOf, optional, shape } from './shape.js';

/** Times in records are milliseconds since 1970. */
export interface BucketRecord {
  /** Under which the bucket's objects, uploads and settings stand. */
  readonly id: string;
  readonly owner: Principal;
  readonly created: number;
  readonly storageClass: string;
  /**
   * Set while DeleteBucket looks for objects. A commit that adds one clears it, so the deletion
   * notices, however the two interleave.
   */
  readonly closing: boolean;
  /** Which settings have a record of their own. */
  readonly settings: readonly SettingName[];
  /** Every decision about access depends on it, so it is here. */
  readonly publicAccessBlock?: PublicAccessBlock | undefined;
  /** The lists of the bucket and of its objects have no effect: only the owner has rights. */
  readonly objectOwnership?: ObjectOwnership | undefined;
}

/** Otherwise lists count. The owner of a bucket owns its objects either way. */
export type ObjectOwnership = 'BucketOwnerEnforced';

/** What is forbidden that everybody, or every user, may do. */
export interface PublicAccessBlock {
  /** Access control lists with public grants are refused. */
  readonly blockPublicAcls: boolean;
  /** Public grants of existing lists have no effect. */
  readonly ignorePublicAcls: boolean;
  /** The same for policies. Buckets have none here, so both hold. */
  readonly blockPublicPolicy: boolean;
  readonly restrictPublicBuckets: boolean;
}

const isPublicAccessBlock = shape<PublicAccessBlock>({
  blockPublicAcls: isBoolean,
  ignorePublicAcls: isBoolean,
  blockPublicPolicy: isBoolean,
  restrictPublicBuckets: isBoolean,
});

/** By name. */
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

/** `~` cannot stand in a name, so no bucket has the name of another as its id. */
const ID_MARK = '~';
export const newBucketId = (name: string, random: string): string => name + ID_MARK + random;

/** The name of the bucket that an id was given to. */
export const nameOfBucketId = (bucketId: string): string => bucketId.split(ID_MARK)[0] as string;
