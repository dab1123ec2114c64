import type { Client } from '@bucketware/core';

const bucket = 'bucket';
const key = 'a';

/** The actions that have no operation in the JSON interface, as calls on `bucket/a`. */
export const CALLS: { readonly [Name in keyof Client]?: (client: Client) => Promise<unknown> } = {
  putBucketTagging: (client) => client.putBucketTagging({ bucket, tags: { team: 'x' } }),
  getBucketTagging: (client) => client.getBucketTagging({ bucket }),
  deleteBucketTagging: (client) => client.deleteBucketTagging({ bucket }),
  putPublicAccessBlock: (client) =>
    client.putPublicAccessBlock({ bucket, publicAccessBlock: { ignorePublicAcls: true } }),
  getPublicAccessBlock: (client) => client.getPublicAccessBlock({ bucket }),
  deletePublicAccessBlock: (client) => client.deletePublicAccessBlock({ bucket }),
  getBucketPolicyStatus: (client) => client.getBucketPolicyStatus({ bucket }),
  putBucketOwnershipControls: (client) =>
    client.putBucketOwnershipControls({ bucket, objectOwnership: 'BucketOwnerEnforced' }),
  getBucketOwnershipControls: (client) => client.getBucketOwnershipControls({ bucket }),
  deleteBucketOwnershipControls: (client) => client.deleteBucketOwnershipControls({ bucket }),
  getObjectAttributes: (client) => client.getObjectAttributes({ bucket, key }),
  putObjectTagging: (client) => client.putObjectTagging({ bucket, key, tags: { team: 'x' } }),
  getObjectTagging: (client) => client.getObjectTagging({ bucket, key }),
  deleteObjectTagging: (client) => client.deleteObjectTagging({ bucket, key }),
};
