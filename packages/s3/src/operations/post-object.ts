import {
  actions,
  type Checksum,
  contentFields,
  empty,
  field,
  metadataFields,
  notSupported,
  operation,
  pageOf,
  type Reader,
  requireFields,
} from '@bucketware/core/dialect';
import { invalidRequest, unsupported } from '../errors.js';
import { classOf } from '../object-headers.js';
import { xml } from '../render.js';
import { CHECKSUM_KINDS, checksumHeader, readChecksum } from '../request/checksums.js';
import { contentMd5 } from '../request/xml-body.js';
import { cannedForObjects, usersOf } from '../settings/grants.js';
import { tagsInField } from '../settings/tags.js';

/**
 * Other fields that a form may have. All further S3 fields request features that are not supported.
 */
const KNOWN =
  /^(x-amz-(acl|storage-class|checksum-(crc32|crc32c|crc64nvme|sha1|sha256)|meta-.*|algorithm|credential|date|signature|security-token|checksum-algorithm|sdk-checksum-algorithm)|x-ignore-.*)$/;

const others = requireFields((name) => {
  if (!name.startsWith('x-amz-') || KNOWN.test(name)) return;
  throw unsupported(`The field ${name} is not supported in a form.`);
});

/** The checksum of the file. */
const checksum: Reader<Checksum | undefined> = {
  label: 'The checksum of the file',
  read(source) {
    const [found, second] = CHECKSUM_KINDS.flatMap((kind) => {
      const text = field(checksumHeader(kind)).read(source);
      return text === undefined ? [] : [readChecksum(kind, text)];
    });
    if (second !== undefined) throw invalidRequest('Expecting a single x-amz-checksum- field.');
    return found;
  },
};

/** A browser form that uploads an object (POST Object). */
export const postObject = operation(actions.putObject, {
  route: { method: 'POST', on: 'bucket' },
  loginInBody: true,
  input: {
    ...{ ...contentFields, contentLanguage: notSupported },
    metadata: metadataFields('x-amz-meta-'),
    contentMd5: field('content-md5', (text) => contentMd5(text)),
    checksum,
    ...{ contentSha256: notSupported, contentCrc32: notSupported },
    ...{ contentCrc32c: notSupported, contentCrc64: notSupported },
    ...{ crc32cFlag: notSupported, ifMatch: notSupported, ifNoneMatch: notSupported },
    ...{ ifUnmodifiedSince: notSupported, forbidOverwrite: notSupported },
    acl: field('acl', cannedForObjects),
    grantRead: field('acl', usersOf),
    grantFullControl: notSupported,
    storageClass: field('x-amz-storage-class', classOf),
    tags: field('tagging', tagsInField),
  },
  responseInput: {
    others,
    status: field('success_action_status'),
    redirect: field('success_action_redirect', pageOf),
    oldRedirect: field('redirect', pageOf),
  },

  respond({ etag }, { bucketName, key, responseInput, url }) {
    const headers = { etag: `"${etag}"`, location: url() };
    const page = responseInput.redirect ?? responseInput.oldRedirect;
    if (page !== undefined) {
      page.searchParams.set('bucket', bucketName);
      page.searchParams.set('key', key);
      page.searchParams.set('etag', `"${etag}"`);
      return empty(303, { ...headers, location: page.href });
    }
    if (responseInput.status === '200') return empty(200, headers);
    if (responseInput.status !== '201') return empty(204, headers);
    const content = { Location: headers.location, Bucket: bucketName, Key: key };
    return xml(201, 'PostResponse', { ...content, ETag: headers.etag }, headers);
  },
});
