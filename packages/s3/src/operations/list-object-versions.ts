import { actions, operation, query } from '@bucketware/core/dialect';
import { invalid } from '../errors.js';
import { asItIs, encodingType, given, pageOf, prefixes, shownObject } from '../listing.js';
import { xml } from '../render.js';

/** Lists each object as its only version. */
export const listObjectVersions = operation(actions.listObjects, {
  route: { method: 'GET', query: ['versions'] },
  input: { ...pageOf, marker: query('key-marker') },
  responseInput: { ...encodingType, versionMarker: query('version-id-marker') },

  respond(result, { bucketName, input, responseInput }) {
    const { encode = asItIs, versionMarker } = responseInput;
    if (versionMarker && input.marker === '') {
      throw invalid('A version-id marker cannot be specified without a key marker.');
    }
    const next = result.nextMarker;
    const endsWithKey = next !== undefined && result.contents.at(-1)?.key === next;
    return xml(200, 'ListVersionsResult', {
      Name: bucketName,
      Prefix: encode(input.prefix),
      KeyMarker: encode(input.marker),
      VersionIdMarker: versionMarker ?? '',
      NextKeyMarker: given(next, encode),
      NextVersionIdMarker: endsWithKey ? 'null' : undefined,
      MaxKeys: input.maxKeys,
      Delimiter: given(input.delimiter, encode),
      IsTruncated: result.isTruncated,
      EncodingType: responseInput.encode && 'url',
      Version: result.contents.map((item) => ({
        Key: encode(item.key),
        VersionId: 'null',
        IsLatest: true,
        ...shownObject(item),
      })),
      CommonPrefixes: prefixes(result.commonPrefixes, encode),
    });
  },
});
