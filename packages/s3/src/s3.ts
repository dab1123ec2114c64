import {
  CREDENTIALS,
  type Credentials,
  checkOptions,
  type KnownOptions,
  kinds,
} from '@bucketware/core/contracts';
import { allowLists, type Dialect, type Prefixes, RequestHeaders } from '@bucketware/core/dialect';
import { s3Links, s3Verifier } from '@bucketware/signature';
import { conventions } from './conventions.js';
import { VOCABULARY } from './features.js';
import { operationsIn } from './operations/index.js';
import { renderError, XML_HEADERS } from './render.js';
import { identifier } from './request/identify.js';

export interface S3Options {
  /**
   * The credentials of callers: an object that maps access key IDs to `{ secret, principal }`, or a
   * function that looks one up by its access key ID and may return a promise. The S3 owner ID is
   * the principal's `userId`.
   */
  readonly credentials: Credentials;
  /**
   * The regions that requests may be signed for. The first one is reported as the region of all
   * buckets. Default `['us-east-1']`.
   */
  readonly regions?: readonly string[] | undefined;
  /** Returns the current time in milliseconds since 1970. Default: the clock of the storage. */
  readonly now?: (() => number) | undefined;
}

const OPTIONS: KnownOptions<S3Options> = {
  credentials: kinds.required(CREDENTIALS),
  regions: {
    is: 'a list of names such as us-east-1',
    fits: (value) => Array.isArray(value) && value.length > 0,
  },
  now: kinds.aFunction,
};

const PREFIXES: Prefixes = {
  own: 'x-amz-',
  sent: 'x-amz-',
  others: ['x-svc-', 'x-bce-', 'x-oss-', 'x-cos-'],
};

/**
 * The S3 API, which serves the same buckets and objects as all other interfaces:
 *
 * ```ts
 * const dialect = s3({ credentials: { AKEXAMPLE: { secret, principal } } });
 * app.use(storageMiddleware(storage, { mount: '/s3', dialect, principal: () => undefined }));
 * ```
 *
 * The caller of a signed request is its signer. For unsigned requests, the middleware's `principal`
 * function identifies the caller. Throws a `TypeError` for an invalid option.
 */
export function s3(options: S3Options): Dialect {
  checkOptions('s3()', options, OPTIONS);
  const { credentials, now } = options;
  const regions = (options.regions ?? ['us-east-1']) as readonly [string, ...string[]];
  const verifier = s3Verifier({ credentials, regions });
  const operations = operationsIn(regions);
  const refusals = allowLists(operations, VOCABULARY);
  return {
    name: 's3',
    operations,
    conventions,
    readHeaders: (raw) => new RequestHeaders(raw, PREFIXES),
    // Some clients add a slash to a mount path that already ends with one.
    pathOf: (path) => (/^\/+$/.test(path) ? '/' : path),
    requireUnderstood: (operation, query, headers) => refusals.get(operation)?.(query, headers),
    identify: identifier(verifier, now),
    links: s3Links(credentials, regions[0]),
    renderError,
    earlyHeaders: XML_HEADERS,

    finish(headers, requestId) {
      headers['x-amz-request-id'] = requestId;
      return headers;
    },
  };
}
