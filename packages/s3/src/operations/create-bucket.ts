import { actions, empty, notSupported, operation } from '@bucketware/core/dialect';
import { S3Error, unsupported } from '../errors.js';
import { inBody } from '../readers.js';
import { xmlBody } from '../request/xml-body.js';
import { aclReader } from '../settings/grants.js';
import { ownershipHeader } from '../settings/ownership.js';
import { tagsInBody } from '../settings/tags.js';
import {
  type CreateBucketConfiguration,
  createBucketConfiguration,
} from '../xml/documents/create-bucket.js';

type Configuration = CreateBucketConfiguration | undefined;

/** All buckets are in one region. */
function requireOwnRegion(configuration: Configuration, regions: readonly string[]): void {
  const { LocationConstraint: place, Location, Bucket } = configuration ?? {};
  if (Location !== undefined || Bucket !== undefined) {
    throw unsupported('Bucket types are not supported.');
  }
  if (place === undefined || place === '' || regions.includes(place)) return;
  const message = 'The specified location-constraint is not valid';
  throw new S3Error('InvalidLocationConstraint', message);
}

export const createBucket = (regions: readonly string[]) =>
  operation(actions.putBucket, {
    route: { method: 'PUT' },
    body: xmlBody(createBucketConfiguration, { optional: true }),
    input: {
      acl: notSupported,
      accessControlList: aclReader('bucket'),
      ...ownershipHeader,
      tags: inBody('Tag', (body: Configuration) => body?.Tags && tagsInBody({ TagSet: body.Tags })),
    },
    responseInput: {
      region: inBody('The location constraint', (body: Configuration) =>
        requireOwnRegion(body, regions),
      ),
    },
    respond: (_, { bucketName }) => empty(200, { location: `/${bucketName}` }),
  });
