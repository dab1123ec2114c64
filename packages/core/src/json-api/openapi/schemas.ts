/** A schema of JSON Schema 2020-12, as used by OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: 'string' };
export const whole: Schema = { type: 'integer', minimum: 0 };
const bool: Schema = { type: 'boolean' };
const time: Schema = { type: 'string', format: 'date-time' };

const listOf = (items: Schema): Schema => ({ type: 'array', items });
const oneOf = (...values: readonly string[]): Schema => ({ type: 'string', enum: values });
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** An object. The names of members that may be missing end in `?`. */
const shape = (members: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name.replace('?', ''), schema]),
  ),
  required: Object.keys(members).filter((name) => !name.endsWith('?')),
});

const prefixes = listOf(shape({ prefix: text }));

export const schemas: Readonly<Record<string, Schema>> = {
  Error: shape({ code: text, message: text, requestId: text }),
  ETag: { ...text, description: 'The ETag, without quotes.' },
  Owner: shape({ id: text, displayName: text }),
  Bucket: shape({ name: text, location: text, creationDate: time }),
  BucketList: shape({ owner: ref('Owner'), buckets: listOf(ref('Bucket')) }),
  Location: shape({ locationConstraint: text }),
  Object: shape({
    key: text,
    lastModified: time,
    eTag: ref('ETag'),
    size: whole,
    storageClass: text,
    owner: ref('Owner'),
  }),
  ObjectList: shape({
    name: text,
    prefix: text,
    'delimiter?': text,
    marker: text,
    'nextMarker?': text,
    maxKeys: whole,
    isTruncated: bool,
    contents: listOf(ref('Object')),
    'commonPrefixes?': prefixes,
  }),
  Upload: shape({
    key: text,
    uploadId: text,
    owner: ref('Owner'),
    initiated: time,
    storageClass: text,
  }),
  UploadList: shape({
    bucket: text,
    prefix: text,
    'delimiter?': text,
    keyMarker: text,
    'uploadIdMarker?': text,
    'nextKeyMarker?': text,
    'nextUploadIdMarker?': text,
    maxUploads: whole,
    isTruncated: bool,
    uploads: listOf(ref('Upload')),
    'commonPrefixes?': prefixes,
  }),
  Part: shape({
    partNumber: whole,
    lastModified: time,
    ETag: ref('ETag'),
    eTag: ref('ETag'),
    size: whole,
  }),
  PartList: shape({
    bucket: text,
    key: text,
    uploadId: text,
    initiated: time,
    owner: ref('Owner'),
    storageClass: text,
    partNumberMarker: whole,
    nextPartNumberMarker: whole,
    maxParts: whole,
    isTruncated: bool,
    parts: listOf(ref('Part')),
  }),
  InitiatedUpload: shape({ bucket: text, key: text, uploadId: text }),
  CompletedUpload: shape({ bucket: text, key: text, eTag: ref('ETag'), location: text }),
  Copied: shape({ ETag: ref('ETag'), eTag: ref('ETag'), lastModified: time }),
  LateError: {
    ...ref('Error'),
    description: 'The copy failed after its response had begun.',
  },
  DeletionFailures: shape({
    errors: listOf(shape({ key: text, code: text, message: text })),
  }),
  Grant: shape({
    grantee: listOf(shape({ id: text, 'tenantId?': text })),
    permission: listOf(text),
    'resource?': listOf(text),
    'notResource?': listOf(text),
    'effect?': text,
  }),
  BucketAcl: shape({ owner: shape({ id: text }), accessControlList: listOf(ref('Grant')) }),
  ObjectAcl: shape({ accessControlList: listOf(ref('Grant')) }),
  Cors: shape({
    corsConfiguration: listOf(
      shape({
        allowedOrigins: listOf(text),
        allowedMethods: listOf(oneOf('GET', 'PUT', 'DELETE', 'POST', 'HEAD')),
        'allowedHeaders?': listOf(text),
        'allowedExposeHeaders?': listOf(text),
        'maxAgeSeconds?': whole,
      }),
    ),
  }),
  LifecycleRule: shape({
    'id?': text,
    status: oneOf('enabled', 'disabled'),
    resource: listOf(text),
    condition: shape({
      'time?': shape({
        'dateGreaterThan?': {
          ...text,
          description: '`yyyy-mm-ddT00:00:00Z`, or `$(lastModified)+P<n>D` for n days.',
        },
      }),
    }),
    action: shape({ name: oneOf('DeleteObject', 'AbortMultipartUpload') }),
  }),
  Lifecycle: shape({ rule: listOf(ref('LifecycleRule')) }),
  ObjectNames: shape({ objects: listOf(shape({ key: text })) }),
  PartNames: shape({
    parts: listOf(
      shape({ partNumber: { type: 'integer', minimum: 1, maximum: 10_000 }, eTag: text }),
    ),
  }),
  Form: {
    ...shape({ key: text, file: { ...text, format: 'binary' } }),
    description: 'The fields of the form, including those of a signed policy. The file comes last.',
  },
};
