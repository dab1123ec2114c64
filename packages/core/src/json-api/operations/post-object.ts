import { putObject } from '../../actions/put-object.js';
import { StorageError } from '../../errors.js';
import {
  contentFields,
  field,
  metadataFields,
  pageOf,
  requireFields,
} from '../../http/form-fields.js';
import { operation } from '../../http/operation.js';
import { header, notSupported, wholeNumber } from '../../http/readers.js';
import { empty } from '../../http/responses.js';
import { META, PREFIX } from '../header-prefix.js';
import { storageClassOf, written } from '../object-headers.js';
import { json } from '../render.js';

/**
 * Fields of this interface that are read, or that may be ignored like the headers with the same
 * names.
 */
const KNOWN =
  /^x-svc-(storage-class|content-sha256|content-crc32|content-crc32c|content-crc64ecma|security-token|traffic-limit|date|meta-.*)$/;

/** Fields of other interfaces that would limit or protect what is uploaded. */
const FOREIGN = /^(acl|tagging|content-md5)$/;

/**
 * Rejects other fields: a policy need not restrict every field, so a form could publish what it
 * uploads.
 */
const others = requireFields((name) => {
  if (!FOREIGN.test(name) && (!name.startsWith(PREFIX) || KNOWN.test(name))) return;
  throw new StorageError('NotImplemented', `The field ${name} is not supported in a form.`);
});

/** A browser form that uploads an object. */
export const postObject = operation(putObject, {
  route: { method: 'POST', on: 'bucket', form: true },
  loginInBody: true,
  input: {
    ...contentFields,
    metadata: metadataFields(META),
    // Clients send the digest of the file, not that of the form.
    contentMd5: header('content-md5'),
    contentSha256: field('x-svc-content-sha256'),
    contentCrc32: field('x-svc-content-crc32', wholeNumber),
    contentCrc32c: field('x-svc-content-crc32c'),
    contentCrc64: field('x-svc-content-crc64ecma'),
    ...{ checksum: notSupported, crc32cFlag: notSupported },
    ...{ ifMatch: notSupported, ifNoneMatch: notSupported },
    ...{ ifUnmodifiedSince: notSupported, forbidOverwrite: notSupported },
    ...{ acl: notSupported, grantRead: notSupported, grantFullControl: notSupported },
    storageClass: field('x-svc-storage-class', storageClassOf),
    tags: notSupported,
  },
  responseInput: {
    others,
    status: field('success-action-status'),
    redirect: field('success-redirect-url', pageOf),
    otherRedirect: field('success-action-redirect', pageOf),
  },

  respond({ etag, contentCrc32 }, { bucketName: bucket, key, responseInput, url }) {
    const headers = written(etag, contentCrc32);
    const page = responseInput.redirect ?? responseInput.otherRedirect;
    if (page !== undefined) return empty(302, { ...headers, location: page.href });
    if (responseInput.status === '204') return empty(204, headers);
    if (responseInput.status !== '201') return empty(200, headers);
    const location = url();
    return json(201, { bucket, key, eTag: etag, location }, { ...headers, location });
  },
});
