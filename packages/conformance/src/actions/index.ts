import type { Case } from './case.js';
import { cases as abortUpload } from './cases/abort-upload.js';
import { cases as access } from './cases/access.js';
import { cases as aclOptions } from './cases/acl-options.js';
import { cases as appendObject } from './cases/append-object.js';
import { cases as bodies } from './cases/bodies.js';
import { cases as bucketAcl } from './cases/bucket-acl.js';
import { cases as bucketCors } from './cases/bucket-cors.js';
import { cases as bucketLifecycle } from './cases/bucket-lifecycle.js';
import { cases as buckets } from './cases/buckets.js';
import { cases as completeUpload } from './cases/complete-upload.js';
import { cases as conditions } from './cases/conditions.js';
import { cases as contentHeaders } from './cases/content-headers.js';
import { cases as copyObject } from './cases/copy-object.js';
import { cases as copyPart } from './cases/copy-part.js';
import { cases as crossOrigin } from './cases/cross-origin.js';
import { cases as crossSite } from './cases/cross-site.js';
import { cases as cutBodies } from './cases/cut-bodies.js';
import { cases as deleteObject } from './cases/delete-object.js';
import { cases as deleteObjects } from './cases/delete-objects.js';
import { cases as digests } from './cases/digests.js';
import { cases as getObject } from './cases/get-object.js';
import { cases as grants } from './cases/grants.js';
import { cases as initiateUpload } from './cases/initiate-upload.js';
import { cases as keys } from './cases/keys.js';
import { cases as listObjects } from './cases/list-objects.js';
import { cases as listPages } from './cases/list-pages.js';
import { cases as listParts } from './cases/list-parts.js';
import { cases as listUploads } from './cases/list-uploads.js';
import { cases as metadata } from './cases/metadata.js';
import { cases as objectAcl } from './cases/object-acl.js';
import { cases as overrides } from './cases/overrides.js';
import { cases as permissions } from './cases/permissions.js';
import { cases as preflight } from './cases/preflight.js';
import { cases as preflightMatching } from './cases/preflight-matching.js';
import { cases as putObject } from './cases/put-object.js';
import { cases as races } from './cases/races.js';
import { cases as ranges } from './cases/ranges.js';
import { cases as renameObject } from './cases/rename-object.js';
import { cases as uploadPart } from './cases/upload-part.js';
import { cases as writeConditions } from './cases/write-conditions.js';

/** The cases that every dialect must pass, grouped by action. */
export const actionCases: readonly Case[] = [
  ...abortUpload,
  ...access,
  ...aclOptions,
  ...appendObject,
  ...bodies,
  ...bucketAcl,
  ...bucketCors,
  ...bucketLifecycle,
  ...buckets,
  ...completeUpload,
  ...conditions,
  ...contentHeaders,
  ...copyObject,
  ...copyPart,
  ...crossOrigin,
  ...crossSite,
  ...cutBodies,
  ...deleteObject,
  ...deleteObjects,
  ...digests,
  ...getObject,
  ...grants,
  ...initiateUpload,
  ...keys,
  ...listObjects,
  ...listPages,
  ...listParts,
  ...listUploads,
  ...metadata,
  ...objectAcl,
  ...overrides,
  ...permissions,
  ...preflightMatching,
  ...preflight,
  ...putObject,
  ...races,
  ...ranges,
  ...renameObject,
  ...uploadPart,
  ...writeConditions,
];
