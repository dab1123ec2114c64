import { actions, operation, query } from '@bucketware/core/dialect';
import { asItIs, encodingType, given, pageOf, prefixes, shownObject } from '../listing.js';
import { xml } from '../render.js';

export const listObjects = operation(actions.listObjects, {
  route: { method: 'GET' },
  input: { ...pageOf, marker: query('marker') },
  responseInput: encodingType,

  respond(result, { bucketName, input, responseInput }) {
    const { encode = asItIs } = responseInput;
    return xml(200, 'ListBucketResult', {
      Name: bucketName,
      Prefix: encode(input.prefix),
      Marker: encode(input.marker),
      NextMarker: given(result.nextMarker, encode),
      MaxKeys: input.maxKeys,
      Delimiter: given(input.delimiter, encode),
      IsTruncated: result.isTruncated,
      EncodingType: responseInput.encode && 'url',
      Contents: result.contents.map((item) => ({ Key: encode(item.key), ...shownObject(item) })),
      CommonPrefixes: prefixes(result.commonPrefixes, encode),
    });
  },
});
