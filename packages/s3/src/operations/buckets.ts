import { actions, empty, operation } from '@bucketware/core/dialect';
import { xml } from '../render.js';

export const headBucket = (region: string) =>
  operation(actions.headBucket, {
    route: { method: 'HEAD' },
    input: {},
    respond: () => empty(200, { 'x-amz-bucket-region': region }),
  });

export const deleteBucket = operation(actions.deleteBucket, {
  route: { method: 'DELETE' },
  input: {},
  respond: () => empty(204),
});

/** For `us-east-1`, S3 returns an empty element. */
export const getBucketLocation = (region: string) =>
  operation(actions.getBucketLocation, {
    route: { method: 'GET', query: ['location'] },
    input: {},
    respond: () =>
      xml(200, 'LocationConstraint', { '#text': region === 'us-east-1' ? '' : region }),
  });

/** No bucket has versions. Some clients call this operation before they list or delete. */
export const getBucketVersioning = operation(actions.headBucket, {
  route: { method: 'GET', query: ['versioning'] },
  input: {},
  respond: () => xml(200, 'VersioningConfiguration', {}),
});
