import { actions, httpDate, operation, required, unspoken } from '@bucketware/core/dialect';
import { invalid } from '../errors.js';
import { shownClass, wholeChecksum } from '../object-headers.js';
import { amz, versionId } from '../readers.js';
import { xml } from '../render.js';

const NAMES = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'] as const;
type Name = (typeof NAMES)[number];

function namesIn(list: string): ReadonlySet<Name> {
  const names = list.split(',').map((name) => name.trim());
  const known = names.filter((name): name is Name => NAMES.some((one) => one === name));
  if (known.length === names.length) return new Set(known);
  throw invalid('Invalid attribute name specified.');
}

export const getObjectAttributes = operation(actions.getObjectMeta, {
  route: { method: 'GET', query: ['attributes'] },
  input: {
    ...{ ifMatch: unspoken, ifNoneMatch: unspoken },
    ...{ ifModifiedSince: unspoken, ifUnmodifiedSince: unspoken },
  },
  asked: { names: required(amz('x-amz-object-attributes', namesIn)), ...versionId },

  respond(object, { asked: { names = new Set() } }) {
    if (names.size === 0) throw invalid('The header x-amz-object-attributes names no attribute.');
    const { etag, size, storageClass, lastModified } = object;
    const crc32 = wholeChecksum(object)['x-amz-checksum-crc32'];
    const parts = /-(\d+)$/.exec(etag)?.[1];
    return xml(
      200,
      'GetObjectAttributesResponse',
      {
        ETag: names.has('ETag') ? etag : undefined,
        Checksum:
          names.has('Checksum') && crc32 !== undefined
            ? { ChecksumCRC32: crc32, ChecksumType: 'FULL_OBJECT' }
            : undefined,
        ObjectParts:
          names.has('ObjectParts') && parts !== undefined ? { PartsCount: parts } : undefined,
        StorageClass: names.has('StorageClass') ? shownClass(storageClass) : undefined,
        ObjectSize: names.has('ObjectSize') ? size : undefined,
      },
      { 'last-modified': httpDate(+lastModified) },
    );
  },
});
