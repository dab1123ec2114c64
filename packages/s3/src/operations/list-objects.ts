import { actions, operation, query } from '@bucketware/core/dialect';
import { asItIs, encodingType, given, isoTime, owner, pageOf, prefixes } from '../listing.js';
import { shownClass } from '../object-headers.js';
import { xml } from '../render.js';

export const listObjects = operation(actions.listObjects, {
  route: { method: 'GET' },
  input: { ...pageOf, marker: query('marker') },
  asked: encodingType,

  respond(result, { bucketName, input, asked }) {
    const { encode = asItIs } = asked;
    return xml(200, 'ListBucketResult', {
      Name: bucketName,
      Prefix: encode(input.prefix),
      Marker: encode(input.marker),
      NextMarker: given(result.nextMarker, encode),
      MaxKeys: input.maxKeys,
      Delimiter: given(input.delimiter, encode),
      IsTruncated: result.isTruncated,
      EncodingType: asked.encode && 'url',
      Contents: result.contents.map((item) => ({
        Key: encode(item.key),
        LastModified: isoTime(item.lastModified),
        ETag: `"${item.etag}"`,
        Size: item.size,
        Owner: owner(item.owner),
        StorageClass: shownClass(item.storageClass),
      })),
      CommonPrefixes: prefixes(result.commonPrefixes, encode),
    });
  },
});
