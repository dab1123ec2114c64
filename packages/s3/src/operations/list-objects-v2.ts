import { actions, flag, operation, query, type Reader } from '@bucketware/core/dialect';
import { invalid } from '../errors.js';
import {
  asItIs,
  encodingType,
  given,
  keyOfToken,
  owner,
  pageOf,
  prefixes,
  shownObject,
  tokenOf,
} from '../listing.js';
import { xml } from '../render.js';

const TOKEN = 'continuation-token';

/** A page continues after its token; the first page begins after `start-after`. */
const marker: Reader<string | undefined> = {
  label: `The query parameter ${TOKEN}`,
  query: [TOKEN, 'start-after'],
  read({ query: parameters }) {
    const token = parameters.get(TOKEN);
    return token ? keyOfToken(token) : parameters.get('start-after');
  },
};

const version: Reader<undefined> = {
  label: 'The query parameter list-type',
  query: ['list-type'],
  read({ query: parameters }) {
    if (parameters.get('list-type') !== '2') throw invalid('The list-type must be 2.');
    return undefined;
  },
};

export const listObjectsV2 = operation(actions.listObjects, {
  route: { method: 'GET', query: ['list-type'] },
  input: { ...pageOf, marker },
  responseInput: {
    ...encodingType,
    version,
    fetchOwner: query('fetch-owner', flag),
    token: query(TOKEN),
    startAfter: query('start-after'),
  },

  respond(result, { bucketName, input, responseInput }) {
    const { encode = asItIs, token, startAfter, fetchOwner = false } = responseInput;
    const { contents, commonPrefixes, nextMarker } = result;
    return xml(200, 'ListBucketResult', {
      Name: bucketName,
      Prefix: encode(input.prefix),
      ContinuationToken: token,
      NextContinuationToken: nextMarker === undefined ? undefined : tokenOf(nextMarker),
      StartAfter: given(startAfter, encode),
      KeyCount: contents.length + commonPrefixes.length,
      MaxKeys: input.maxKeys,
      Delimiter: given(input.delimiter, encode),
      IsTruncated: result.isTruncated,
      EncodingType: responseInput.encode && 'url',
      Contents: contents.map((item) => ({
        Key: encode(item.key),
        ...shownObject(item),
        Owner: fetchOwner ? owner(item.owner) : undefined,
      })),
      CommonPrefixes: prefixes(commonPrefixes, encode),
    });
  },
});
