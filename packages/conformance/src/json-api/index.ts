import type { Case } from '../actions/case.js';
import type { Dialect } from '../actions/dialect.js';
import { Connection } from '../client/connection.js';
import { clientOf } from '../client/index.js';
import { cases as abortMultipartUpload } from './cases/abort-multipart-upload.js';
import { cases as access } from './cases/access.js';
import { cases as aclBodies } from './cases/acl-bodies.js';
import { cases as aclHeaders } from './cases/acl-headers.js';
import { cases as addressing } from './cases/addressing.js';
import { cases as appendObject } from './cases/append-object.js';
import { cases as bodies } from './cases/bodies.js';
import { cases as bucketAcl } from './cases/bucket-acl.js';
import { cases as bucketCors } from './cases/bucket-cors.js';
import { cases as bucketLifecycle } from './cases/bucket-lifecycle.js';
import { cases as buckets } from './cases/buckets.js';
import { cases as completeMultipartUpload } from './cases/complete-multipart-upload.js';
import { cases as copyObject } from './cases/copy-object.js';
import { cases as crossOrigin } from './cases/cross-origin.js';
import { cases as deleteObject } from './cases/delete-object.js';
import { cases as deleteObjects } from './cases/delete-objects.js';
import { cases as digests } from './cases/digests.js';
import { cases as headers } from './cases/headers.js';
import { cases as hostStyle } from './cases/host-style.js';
import { cases as initiateMultipartUpload } from './cases/initiate-multipart-upload.js';
import { cases as jsonBodies } from './cases/json-bodies.js';
import { cases as keys } from './cases/keys.js';
import { cases as lifecycleRules } from './cases/lifecycle-rules.js';
import { cases as listMultipartUploads } from './cases/list-multipart-uploads.js';
import { cases as listObjects } from './cases/list-objects.js';
import { cases as listParts } from './cases/list-parts.js';
import { cases as metadata } from './cases/metadata.js';
import { cases as objectAcl } from './cases/object-acl.js';
import { cases as overrides } from './cases/overrides.js';
import { cases as preflight } from './cases/preflight.js';
import { cases as putObject } from './cases/put-object.js';
import { cases as ranges } from './cases/ranges.js';
import { cases as renameObject } from './cases/rename-object.js';
import { cases as unoffered } from './cases/unoffered.js';
import { cases as unread } from './cases/unread.js';
import { cases as uploadPart } from './cases/upload-part.js';
import { cases as uploadPartCopy } from './cases/upload-part-copy.js';
import { cases as writeConditions } from './cases/write-conditions.js';
import { ownActions } from './client/actions.js';
import { spelling } from './client/spelling.js';
import { traits } from './traits.js';
import { StorageClient } from './wire/client.js';
import type { HttpRule } from './wire/rule.js';

const RULES: readonly HttpRule[] = [
  ...abortMultipartUpload,
  ...access,
  ...aclBodies,
  ...aclHeaders,
  ...addressing,
  ...appendObject,
  ...bodies,
  ...bucketAcl,
  ...bucketCors,
  ...bucketLifecycle,
  ...buckets,
  ...completeMultipartUpload,
  ...copyObject,
  ...crossOrigin,
  ...deleteObject,
  ...deleteObjects,
  ...digests,
  ...headers,
  ...hostStyle,
  ...initiateMultipartUpload,
  ...jsonBodies,
  ...keys,
  ...lifecycleRules,
  ...listMultipartUploads,
  ...listObjects,
  ...listParts,
  ...metadata,
  ...objectAcl,
  ...overrides,
  ...preflight,
  ...putObject,
  ...ranges,
  ...renameObject,
  ...unoffered,
  ...unread,
  ...uploadPartCopy,
  ...uploadPart,
  ...writeConditions,
];

const cases = RULES.map(
  ({ id, name, prove }): Case => ({
    id,
    name,
    prove: (context) => prove(new StorageClient(context)),
  }),
);

/** The JSON interface. */
export const jsonApi: Dialect = {
  name: 'JSON',
  traits,
  connect: (server, options) => clientOf(new Connection(spelling, server, options), ownActions),
  cases,
};
