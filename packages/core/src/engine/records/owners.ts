import type { Principal } from '../../contracts/principal.js';
import { RecordKind } from './kind.js';
import { isNull } from './shape.js';

export type Owner = Pick<Principal, 'tenantId' | 'userId'>;

const pathOf = ({ tenantId, userId }: Owner): string =>
  `${encodeURIComponent(tenantId)}/${encodeURIComponent(userId)}`;

function ownerOf(path: string): Owner {
  const [tenantId = '', userId = ''] = path.split('/').map(decodeURIComponent);
  return { tenantId, userId };
}

/** A bucket of an owner, for ListBuckets. */
export const ownedBucketRecords = new RecordKind<{ owner: Owner; bucket: string }, null>({
  name: "an owner's bucket",
  prefix: 'w/',
  key: ({ owner, bucket }) => ownedBy(owner) + bucket,
  parse(key) {
    const end = key.lastIndexOf('/');
    return { owner: ownerOf(key.slice(2, end)), bucket: key.slice(end + 1) };
  },
  fits: isNull,
});

/** The common prefix of the keys of all buckets of an owner. */
export const ownedBy = (owner: Owner): string => `w/${pathOf(owner)}/`;

/** Changes with each new bucket of an owner, so that two concurrent creations notice each other. */
export const ownerRecords = new RecordKind<Owner, null>({
  name: "an owner's mark",
  prefix: 'n/',
  key: (owner) => `n/${pathOf(owner)}`,
  parse: (key) => ownerOf(key.slice(2)),
  fits: isNull,
});
