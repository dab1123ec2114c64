import { conventions } from '../actions/conventions.js';
import type { Principal } from '../contracts/principal.js';
import { StorageError } from '../errors.js';
import { allowLists, meant, type Vocabulary } from '../http/allow-list.js';
import type { Dialect } from '../http/dialect.js';
import { RequestHeaders } from '../http/headers.js';
import type { Query } from '../http/query.js';
import { HARMLESS_HEADERS, isFeature, isFeatureInQuery, isForeignHarmless } from './features.js';
import { PREFIX, prefixesFor, withPrefix } from './header-prefix.js';
import { operations } from './operations/index.js';
import { JSON_HEADERS, renderError } from './render.js';

export interface JsonApiOptions {
  /** The prefix of the interface's own headers. Default `x-svc-`. */
  readonly headerPrefix?: string | undefined;
}

/** A signed URL has a signature, and perhaps a session token. The login handles both. */
const isSignature = (name: string): boolean =>
  /^(?:authorization|x-[a-z]+-security-token)$/i.test(name);

const VOCABULARY: Vocabulary = {
  isFeatureInQuery,
  isFeature,
  harmless: HARMLESS_HEADERS,
  isForeignHarmless,
  isSignature,
  // JavaScript clients send it empty with copies.
  mayBeEmpty: (name, headers) =>
    name === `${PREFIX}copy-source-range` && headers.has(`${PREFIX}copy-source`),
};

const REFUSALS = allowLists(operations, VOCABULARY);
const REQUEST_ID = `${PREFIX}request-id`;

/** The interface of JSON bodies and `x-svc-` headers. */
export function jsonApi({ headerPrefix }: JsonApiOptions = {}): Dialect {
  const prefixes = prefixesFor(headerPrefix);
  return {
    operations,
    conventions,
    readHeaders: (raw) => new RequestHeaders(raw, prefixes),

    // The interface is also available under `/v1`, which cannot be the name of a bucket.
    pathOf: (path) => (path === '/v1' || path.startsWith('/v1/') ? path.slice(3) || '/' : path),

    requireUnderstood: (operation, query, headers) => REFUSALS.get(operation)?.(query, headers),

    async identify({ query }, login) {
      const principal = await login();
      requireKnownSigner(query, principal);
      return { principal };
    },

    renderError: (error, requestId) => renderError(error, requestId, prefixes.sent),
    earlyHeaders: JSON_HEADERS,

    finish(headers, requestId) {
      headers[REQUEST_ID] = requestId;
      return withPrefix(headers, prefixes.sent);
    },
  };
}

const isSigned = (query: Query): boolean =>
  query.size > 0 && [...query.names()].map(meant).some(isSignature);

/**
 * The host's login handles signed URLs. If it did not identify the signer, the caller must not be
 * treated as anonymous.
 */
function requireKnownSigner(query: Query, principal: Principal | undefined): void {
  if (principal !== undefined || !isSigned(query)) return;
  const message = 'Signed URLs are not supported. Send credentials in a header.';
  throw new StorageError('NotImplemented', message);
}
