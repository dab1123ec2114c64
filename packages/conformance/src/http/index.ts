import { judge, register, type TestFunction } from '../suite.js';
import { cases as abortMultipartUpload } from './abort-multipart-upload.js';
import { cases as access } from './access.js';
import { cases as aclBodies } from './acl-bodies.js';
import { cases as aclHeaders } from './acl-headers.js';
import { cases as addressing } from './addressing.js';
import { cases as appendObject } from './append-object.js';
import { cases as bodies } from './bodies.js';
import { cases as bucketAcl } from './bucket-acl.js';
import { cases as bucketCors } from './bucket-cors.js';
import { cases as bucketLifecycle } from './bucket-lifecycle.js';
import { cases as buckets } from './buckets.js';
import { StorageClient } from './client.js';
import { cases as completeMultipartUpload } from './complete-multipart-upload.js';
import { cases as conditions } from './conditions.js';
import { cases as contentHeaders } from './content-headers.js';
import { cases as copyObject } from './copy-object.js';
import { cases as crossOrigin } from './cross-origin.js';
import { cases as crossSite } from './cross-site.js';
import { cases as cutBodies } from './cut-bodies.js';
import { cases as deleteObject } from './delete-object.js';
import { cases as deleteObjects } from './delete-objects.js';
import { cases as digests } from './digests.js';
import { cases as getObject } from './get-object.js';
import { cases as grants } from './grants.js';
import { cases as headers } from './headers.js';
import { cases as hostStyle } from './host-style.js';
import { cases as initiateMultipartUpload } from './initiate-multipart-upload.js';
import { cases as jsonBodies } from './json-bodies.js';
import { cases as keys } from './keys.js';
import { cases as lifecycleRules } from './lifecycle-rules.js';
import { cases as listMultipartUploads } from './list-multipart-uploads.js';
import { cases as listObjects } from './list-objects.js';
import { cases as listPages } from './list-pages.js';
import { cases as listParts } from './list-parts.js';
import { cases as metadata } from './metadata.js';
import { cases as objectAcl } from './object-acl.js';
import { cases as overrides } from './overrides.js';
import { cases as permissions } from './permissions.js';
import { cases as preflight } from './preflight.js';
import { cases as preflightMatching } from './preflight-matching.js';
import { cases as putObject } from './put-object.js';
import { cases as races } from './races.js';
import { cases as ranges } from './ranges.js';
import { cases as renameObject } from './rename-object.js';
import type { HttpRule, HttpServer } from './rule.js';
import { cases as unoffered } from './unoffered.js';
import { cases as unread } from './unread.js';
import { cases as uploadPart } from './upload-part.js';
import { cases as uploadPartCopy } from './upload-part-copy.js';
import { cases as writeConditions } from './write-conditions.js';

const RULES: readonly HttpRule[] = [
  ...buckets,
  ...putObject,
  ...digests,
  ...writeConditions,
  ...metadata,
  ...getObject,
  ...overrides,
  ...contentHeaders,
  ...ranges,
  ...conditions,
  ...deleteObject,
  ...deleteObjects,
  ...listObjects,
  ...listPages,
  ...keys,
  ...addressing,
  ...hostStyle,
  ...access,
  ...bodies,
  ...jsonBodies,
  ...cutBodies,
  ...headers,
  ...unoffered,
  ...unread,
  ...initiateMultipartUpload,
  ...uploadPart,
  ...uploadPartCopy,
  ...listParts,
  ...listMultipartUploads,
  ...completeMultipartUpload,
  ...abortMultipartUpload,
  ...copyObject,
  ...renameObject,
  ...appendObject,
  ...races,
  ...bucketAcl,
  ...objectAcl,
  ...aclBodies,
  ...aclHeaders,
  ...permissions,
  ...grants,
  ...bucketCors,
  ...preflight,
  ...preflightMatching,
  ...crossOrigin,
  ...crossSite,
  ...bucketLifecycle,
  ...lifecycleRules,
];

/** A server for one case. Several cases may share a running one: each uses buckets of its own. */
export interface HttpFixture extends HttpServer {
  /** Runs after the case, also after a failed one. */
  readonly dispose?: () => Promise<void>;
}

/**
 * All that the interface promises over HTTP, as tests of one server.
 *
 * The server knows the principal `{ tenantCode: 'acme', tenantId: '1001', userId: 'u-alice',
 * userName: 'Alice' }` by `Authorization: Bearer alice`, and `{ 'globex', '2002', 'u-bob', 'Bob' }`
 * by `Bearer bob`; a request without that header is anonymous. Cases may run at the same time, as
 * long as alice may own two buckets for each.
 */
export function httpSuite(test: TestFunction, open: () => Promise<HttpFixture>): void {
  register(test, RULES, async (rule) => {
    const fixture = await open();
    const storage = new StorageClient(fixture);
    const cleanUps = [() => storage.cleanUp(), fixture.dispose];
    await judge('The interface', rule, () => rule.prove(storage), cleanUps);
  });
}
