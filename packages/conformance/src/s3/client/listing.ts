import assert from 'node:assert/strict';
import type { ListedPart, ObjectPage, PartPage, UploadPage } from '../../actions/pages.js';
import type { Owner } from '../../actions/values.js';
import { bare } from '../../client/answers.js';
import { all, type Element, knows, one, optional, timeOf } from './xml.js';

export function ownerIn(element: Element, name = 'Owner'): Owner {
  const [owner] = all(element, name);
  assert.ok(owner);
  knows(owner, 'ID', 'DisplayName');
  return { id: one(owner, 'ID'), displayName: one(owner, 'DisplayName') };
}

function flagIn(element: Element, name: string): boolean {
  const text = one(element, name);
  assert.match(text, /^(true|false)$/);
  return text === 'true';
}

/** Decodes a key, because listings are requested with `encoding-type=url`. */
const key = (element: Element, name: string): string => decodeURIComponent(one(element, name));
function optionalKey(element: Element, name: string): string | undefined {
  const text = optional(element, name);
  return text === undefined ? undefined : decodeURIComponent(text);
}

const prefixesIn = (element: Element): string[] =>
  all(element, 'CommonPrefixes').map((prefix) => key(prefix, 'Prefix'));

/** Reads the result of ListObjects, and asserts every field. */
export function pageIn(result: Element): ObjectPage {
  knows(
    result,
    ...['Name', 'Prefix', 'Marker', 'NextMarker', 'MaxKeys', 'Delimiter', 'IsTruncated'],
    ...['EncodingType', 'Contents', 'CommonPrefixes'],
  );
  const objects = all(result, 'Contents').map((item) => {
    knows(item, 'Key', 'LastModified', 'ETag', 'Size', 'Owner', 'StorageClass');
    return {
      key: key(item, 'Key'),
      etag: bare(one(item, 'ETag')),
      size: Number(one(item, 'Size')),
      lastModified: timeOf(one(item, 'LastModified')),
      storageClass: one(item, 'StorageClass'),
      owner: ownerIn(item),
    };
  });
  const truncated = flagIn(result, 'IsTruncated');
  const nextMarker = optionalKey(result, 'NextMarker');
  assert.equal(nextMarker !== undefined, truncated);
  return {
    ...{ truncated, nextMarker, objects },
    bucket: one(result, 'Name'),
    prefix: key(result, 'Prefix'),
    delimiter: optionalKey(result, 'Delimiter'),
    marker: key(result, 'Marker'),
    maxKeys: Number(one(result, 'MaxKeys')),
    keys: objects.map((item) => item.key),
    prefixes: prefixesIn(result),
  };
}

/** Reads the result of ListParts, and asserts every field. */
export function partsIn(result: Element): PartPage {
  knows(
    result,
    ...['Bucket', 'Key', 'UploadId', 'Initiator', 'Owner', 'StorageClass', 'PartNumberMarker'],
    ...['NextPartNumberMarker', 'MaxParts', 'IsTruncated', 'Part'],
  );
  const parts = all(result, 'Part').map((item): ListedPart => {
    knows(item, 'PartNumber', 'LastModified', 'ETag', 'Size');
    return {
      number: Number(one(item, 'PartNumber')),
      etag: bare(one(item, 'ETag')),
      size: Number(one(item, 'Size')),
      lastModified: timeOf(one(item, 'LastModified')),
    };
  });
  return {
    bucket: one(result, 'Bucket'),
    key: one(result, 'Key'),
    uploadId: one(result, 'UploadId'),
    owner: ownerIn(result),
    initiated: undefined,
    storageClass: one(result, 'StorageClass'),
    marker: Number(one(result, 'PartNumberMarker')),
    nextMarker: Number(one(result, 'NextPartNumberMarker')),
    maxParts: Number(one(result, 'MaxParts')),
    truncated: flagIn(result, 'IsTruncated'),
    parts,
    numbers: parts.map(({ number }) => number),
  };
}

/** Reads the result of ListMultipartUploads, and asserts every field. */
export function uploadsIn(result: Element): UploadPage {
  knows(
    result,
    ...['Bucket', 'KeyMarker', 'UploadIdMarker', 'NextKeyMarker', 'NextUploadIdMarker'],
    ...['Delimiter', 'Prefix', 'MaxUploads', 'IsTruncated', 'EncodingType', 'Upload'],
    'CommonPrefixes',
  );
  const uploads = all(result, 'Upload').map((item) => {
    knows(item, 'Key', 'UploadId', 'Initiator', 'Owner', 'StorageClass', 'Initiated');
    return {
      key: key(item, 'Key'),
      uploadId: one(item, 'UploadId'),
      owner: ownerIn(item),
      initiated: timeOf(one(item, 'Initiated')),
      storageClass: one(item, 'StorageClass'),
    };
  });
  return {
    bucket: one(result, 'Bucket'),
    prefix: key(result, 'Prefix'),
    delimiter: optionalKey(result, 'Delimiter'),
    keyMarker: key(result, 'KeyMarker'),
    nextKeyMarker: optionalKey(result, 'NextKeyMarker'),
    nextUploadIdMarker: optional(result, 'NextUploadIdMarker'),
    maxUploads: Number(one(result, 'MaxUploads')),
    truncated: flagIn(result, 'IsTruncated'),
    uploads,
    keys: uploads.map((item) => item.key),
    prefixes: prefixesIn(result),
  };
}
