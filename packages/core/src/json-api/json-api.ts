import { conventions } from '../actions/conventions.js';
import type { SignatureScheme } from '../contracts/signatures.js';
import { allowLists, type Vocabulary } from '../http/allow-list.js';
import type { Dialect } from '../http/dialect.js';
import { RequestHeaders } from '../http/headers.js';
import {
  HARMLESS_HEADERS,
  isFeature,
  isFeatureInQuery,
  isHarmlessForeignHeader,
  isIdle,
} from './features.js';
import { PREFIX, prefixesFor, withPrefix } from './header-prefix.js';
import { identify, identifyByLogin, isSignature } from './identify.js';
import { identifyForm } from './identify-form.js';
import { unfold } from './moved-headers.js';
import { operations } from './operations/index.js';
import { JSON_HEADERS, renderError } from './render.js';

/** The options of {@link jsonApi}. */
export interface JsonApiOptions {
  /** The prefix of the interface's own headers. Default `x-svc-`. */
  readonly headerPrefix?: string | undefined;
  /** Verifies signed requests. Default: the app's own login handles them. */
  readonly signatures?: SignatureScheme | undefined;
}

const VOCABULARY: Vocabulary = {
  isFeatureInQuery,
  isFeature,
  harmless: HARMLESS_HEADERS,
  isHarmlessForeignHeader,
  idle: isIdle,
  isSignature,
  // JavaScript clients send this header empty with copies.
  mayBeEmpty: (name, headers) =>
    name === `${PREFIX}copy-source-range` && headers.has(`${PREFIX}copy-source`),
};

const REFUSALS = allowLists(operations, VOCABULARY);
const REQUEST_ID = `${PREFIX}request-id`;

/** The dialect with JSON bodies and `x-svc-` headers. */
export function jsonApi({ headerPrefix, signatures: scheme }: JsonApiOptions = {}): Dialect {
  const prefixes = prefixesFor(headerPrefix);
  const signatures = scheme?.(prefixes.sent);
  return {
    name: 'json',
    operations,
    conventions,
    readHeaders: (raw) => new RequestHeaders(raw, prefixes),

    // Only a verified signature covers headers in the query.
    unfold: (rawHeaders, query) =>
      signatures === undefined ? undefined : unfold(rawHeaders, query, prefixes),

    // The interface is also available under `/v1`, which cannot be the name of a bucket.
    pathOf: (path) => (path === '/v1' || path.startsWith('/v1/') ? path.slice(3) || '/' : path),

    requireUnderstood: (operation, query, headers) => REFUSALS.get(operation)?.(query, headers),

    identify(about, login) {
      if (about.operation.loginInBody) return identifyForm(signatures, about);
      if (signatures === undefined) return identifyByLogin(about, login);
      return identify(signatures, about, login);
    },

    links: signatures?.links,
    renderError: (error, requestId) => renderError(error, requestId, prefixes.sent),
    earlyHeaders: JSON_HEADERS,

    finish(headers, requestId) {
      headers[REQUEST_ID] = requestId;
      return withPrefix(headers, prefixes.sent);
    },
  };
}
