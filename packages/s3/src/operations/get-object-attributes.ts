import {
  actions,
  httpDate,
  MAX_LISTED,
  operation,
  required,
  wholeNumber,
} from '@bucketware/core/dialect';
import { invalid } from '../errors.js';
import { shownChecksum, shownClass } from '../object-headers.js';
import { amz, versionId } from '../readers.js';
import { xml } from '../render.js';
import { checksumElements } from '../request/checksums.js';
import type { XmlChildren } from '../xml/write.js';

const NAMES = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'] as const;
type Name = (typeof NAMES)[number];

function namesIn(list: string): ReadonlySet<Name> {
  const names = list.split(',', MAX_LISTED + 1).map((name) => name.trim());
  const known = names.filter((name): name is Name => NAMES.some((one) => one === name));
  if (known.length === names.length && names.length <= MAX_LISTED) return new Set(known);
  throw invalid('Invalid attribute name specified.');
}

/** A number in a header, or in the query of a presigned URL. */
const inHeader = (name: string) => amz(name, wholeNumber);

export const getObjectAttributes = operation(actions.getObjectAttributes, {
  route: { method: 'GET', query: ['attributes'] },
  input: {
    maxParts: inHeader('x-amz-max-parts'),
    partNumberMarker: inHeader('x-amz-part-number-marker'),
  },
  responseInput: { names: required(amz('x-amz-object-attributes', namesIn)), ...versionId },

  respond({ object, parts }, { responseInput: { names = new Set() }, input }) {
    if (names.size === 0) throw invalid('The header x-amz-object-attributes names no attribute.');
    const { etag, size, storageClass, lastModified } = object;
    const checksum = shownChecksum(object);
    const values: Readonly<Record<Name, XmlChildren[string]>> = {
      ETag: etag,
      Checksum: checksum && checksumElements(checksum),
      ObjectParts: parts && {
        PartsCount: parts.count,
        PartNumberMarker: input.partNumberMarker,
        NextPartNumberMarker: parts.nextPartNumberMarker,
        MaxParts: input.maxParts,
        IsTruncated: parts.isTruncated,
        Part: parts.parts.map(({ partNumber, start, end, checksum }) => ({
          PartNumber: partNumber,
          Size: end - start,
          ...checksumElements(checksum),
        })),
      },
      StorageClass: shownClass(storageClass),
      ObjectSize: size,
    };
    const shown = NAMES.filter((name) => names.has(name)).map((name) => [name, values[name]]);
    const headers = { 'last-modified': httpDate(+lastModified) };
    return xml(200, 'GetObjectAttributesResponse', Object.fromEntries(shown), headers);
  },
});
