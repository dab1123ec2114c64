import { actions, operation, query, wholeNumber } from '@bucketware/core/dialect';
import { invalid } from '../errors.js';
import { given, isoTime, keyOfToken, owner, tokenOf } from '../listing.js';
import { xml } from '../render.js';

const MAX_BUCKETS = 10_000;

export const listBuckets = (region: string) =>
  operation(actions.listBuckets, {
    route: { method: 'GET' },
    input: { prefix: query('prefix') },
    responseInput: {
      max: query('max-buckets', wholeNumber),
      token: query('continuation-token', keyOfToken),
      region: query('bucket-region'),
    },

    respond(result, { input, responseInput }) {
      const { max = MAX_BUCKETS, token = '', region: wanted = region } = responseInput;
      if (!(max >= 1 && max <= MAX_BUCKETS)) throw invalid('max-buckets must be from 1 to 10000.');
      const behind = result.buckets.filter(({ name }) => wanted === region && name > token);
      const page = behind.slice(0, max);
      const last = behind.length > max ? page.at(-1) : undefined;
      return xml(200, 'ListAllMyBucketsResult', {
        Owner: owner(result.owner),
        Buckets: {
          Bucket: page.map(({ name, creationDate }) => ({
            Name: name,
            CreationDate: isoTime(creationDate),
            BucketRegion: region,
          })),
        },
        Prefix: given(input.prefix),
        ContinuationToken: last && tokenOf(last.name),
      });
    },
  });
