import assert from 'node:assert/strict';
import type {
  ListedPart,
  ListedUpload,
  ObjectPage,
  PartPage,
  UploadPage,
} from '../../actions/pages.js';
import type { Answer } from '../../http/answer.js';
import { assertFields, fieldsOf, timeOf } from './json.js';

// biome-ignore lint/suspicious/noExplicitAny: each list asserts what is in it
type Json = any;

/** The common prefixes. The field must be absent if there are none. */
function prefixesIn(json: { commonPrefixes?: readonly { prefix: string }[] }): string[] {
  assert.notEqual(json.commonPrefixes?.length, 0, 'an empty commonPrefixes');
  return (json.commonPrefixes ?? []).map(({ prefix }) => prefix);
}

/** Reads the result of ListObjects, and asserts every field. */
export function pageIn(answer: Answer): ObjectPage {
  const json = fieldsOf(
    answer,
    ['name', 'prefix', 'marker', 'maxKeys', 'isTruncated', 'contents'],
    ['delimiter', 'nextMarker', 'commonPrefixes'],
  );
  assert.equal('nextMarker' in json, json.isTruncated, 'only a truncated page has a nextMarker');
  const objects = json.contents.map((entry: Json) => {
    const { key, lastModified, eTag, size, storageClass, owner } = entry;
    const names = ['key', 'lastModified', 'eTag', 'size', 'storageClass', 'owner'];
    assertFields(entry, names);
    return { key, etag: eTag, size, lastModified: timeOf(lastModified), storageClass, owner };
  });
  return {
    bucket: json.name,
    prefix: json.prefix,
    delimiter: json.delimiter,
    marker: json.marker,
    maxKeys: json.maxKeys,
    truncated: json.isTruncated,
    nextMarker: json.nextMarker,
    objects,
    keys: objects.map(({ key }: { key: string }) => key),
    prefixes: prefixesIn(json),
  };
}

/** Reads the result of ListParts, and asserts every field. */
export function partsIn(answer: Answer): PartPage {
  const { bucket, key, uploadId, owner, storageClass, maxParts, ...json } = fieldsOf(answer, [
    ...['bucket', 'key', 'uploadId', 'owner', 'initiated', 'storageClass', 'partNumberMarker'],
    ...['nextPartNumberMarker', 'maxParts', 'isTruncated', 'parts'],
  ]);
  const parts = json.parts.map((entry: Json): ListedPart => {
    const { partNumber, lastModified, ETag, eTag, size } = entry;
    assertFields(entry, ['partNumber', 'lastModified', 'ETag', 'eTag', 'size']);
    assert.equal(ETag, eTag);
    return { number: partNumber, etag: eTag, size, lastModified: timeOf(lastModified) };
  });
  return {
    ...{ bucket, key, uploadId, owner, storageClass, maxParts, parts },
    initiated: timeOf(json.initiated),
    marker: json.partNumberMarker,
    nextMarker: json.nextPartNumberMarker,
    truncated: json.isTruncated,
    numbers: parts.map(({ number }: ListedPart) => number),
  };
}

/** Reads the result of ListMultipartUploads, and asserts every field. */
export function uploadsIn(answer: Answer): UploadPage {
  const json = fieldsOf(
    answer,
    ['bucket', 'prefix', 'keyMarker', 'maxUploads', 'isTruncated', 'uploads'],
    ['delimiter', 'uploadIdMarker', 'nextKeyMarker', 'nextUploadIdMarker', 'commonPrefixes'],
  );
  assert.equal('nextKeyMarker' in json, json.isTruncated);
  const uploads = json.uploads.map((entry: Json): ListedUpload => {
    const { key, uploadId, owner, initiated, storageClass } = entry;
    assertFields(entry, ['key', 'uploadId', 'owner', 'initiated', 'storageClass']);
    return { key, uploadId, owner, initiated: timeOf(initiated), storageClass };
  });
  return {
    bucket: json.bucket,
    prefix: json.prefix,
    delimiter: json.delimiter,
    keyMarker: json.keyMarker,
    nextKeyMarker: json.nextKeyMarker,
    nextUploadIdMarker: json.nextUploadIdMarker,
    maxUploads: json.maxUploads,
    truncated: json.isTruncated,
    uploads,
    keys: uploads.map(({ key }: ListedUpload) => key),
    prefixes: prefixesIn(json),
  };
}
