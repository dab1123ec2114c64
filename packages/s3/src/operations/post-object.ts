import {
  actions,
  empty,
  operation,
  type Parse,
  RawMetadata,
  RawValue,
  type Reader,
  unspoken,
} from '@bucketware/core/dialect';
import { notOffered } from '../errors.js';
import { classOf } from '../object-headers.js';
import { xml } from '../render.js';
import { crc32Of } from '../request/checksums.js';
import type { FormFields } from '../request/identify-form.js';
import { contentMd5 } from '../request/xml-body.js';
import { cannedForObjects } from '../settings/grants.js';

const META = 'x-amz-meta-';

const asItIs = (text: string): string => text;
const wire = (text: string): string => Buffer.from(text).toString('latin1');

function field(name: string): Reader<string | undefined>;
function field<Given>(name: string, parse: Parse<Given>): Reader<Given | undefined>;
function field(name: string, parse: Parse<unknown> = asItIs): Reader<unknown> {
  return {
    label: `The field ${name}`,
    read({ body }) {
      const found = (body as FormFields).get(name);
      return found === undefined ? undefined : parse(found);
    },
  };
}

const stored = (name: string) => field(name, (text) => new RawValue(wire(text)));

const metadata: Reader<RawMetadata | undefined> = {
  label: `The fields ${META}*`,
  read({ body }) {
    const pairs = [...(body as FormFields)]
      .filter(([name]) => name.startsWith(META))
      .map(([name, value]) => [name.slice(META.length), wire(value)] as const);
    return pairs.length === 0 ? undefined : new RawMetadata(pairs, META);
  },
};

/** What a form may say besides; other fields of S3 ask for what would not be done. */
const KNOWN =
  /^(x-amz-(acl|storage-class|checksum-crc32|meta-.*|algorithm|credential|date|signature|security-token|checksum-algorithm|sdk-checksum-algorithm)|x-ignore-.*)$/;

const others: Reader<undefined> = {
  label: 'The fields of the form',
  read({ body }) {
    const names = [...(body as FormFields).keys()];
    const other = names.find((name) => /^(x-amz-|tagging$)/.test(name) && !KNOWN.test(name));
    if (other !== undefined)
      throw notOffered(`The field ${other} asks for what is not offered here.`);
    return undefined;
  },
};

/** A page to go on with. Others than http could run a script. */
function pageOf(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) ? url : undefined;
}

/** A form of a browser that uploads an object (POST Object). */
export const postObject = operation(actions.putObject, {
  route: { method: 'POST', on: 'bucket' },
  loginInBody: true,
  input: {
    contentType: stored('content-type'),
    contentEncoding: stored('content-encoding'),
    contentLanguage: unspoken,
    contentDisposition: stored('content-disposition'),
    cacheControl: stored('cache-control'),
    expires: stored('expires'),
    metadata,
    contentMd5: field('content-md5', (text) => contentMd5(text)),
    contentCrc32: field('x-amz-checksum-crc32', crc32Of),
    ...{ contentSha256: unspoken, contentCrc32c: unspoken, contentCrc64: unspoken },
    ...{ crc32cFlag: unspoken, ifMatch: unspoken, ifNoneMatch: unspoken },
    ...{ ifUnmodifiedSince: unspoken, forbidOverwrite: unspoken },
    acl: field('acl', cannedForObjects),
    ...{ grantRead: unspoken, grantFullControl: unspoken },
    storageClass: field('x-amz-storage-class', classOf),
  },
  asked: {
    others,
    status: field('success_action_status'),
    redirect: field('success_action_redirect', pageOf),
    oldRedirect: field('redirect', pageOf),
  },

  respond({ etag }, { bucketName, key, asked, url }) {
    const headers = { etag: `"${etag}"`, location: url() };
    const page = asked.redirect ?? asked.oldRedirect;
    if (page !== undefined) {
      page.searchParams.set('bucket', bucketName);
      page.searchParams.set('key', key);
      page.searchParams.set('etag', `"${etag}"`);
      return empty(303, { ...headers, location: page.href });
    }
    if (asked.status === '200') return empty(200, headers);
    if (asked.status !== '201') return empty(204, headers);
    const content = { Location: headers.location, Bucket: bucketName, Key: key };
    return xml(201, 'PostResponse', { ...content, ETag: headers.etag }, headers);
  },
});
