import type { Principal } from '../contracts/principal.js';
import { StorageError } from '../errors.js';
import {
  DIGESTS,
  HARMLESS_HEADERS,
  isFeature,
  isFeatureInQuery,
  isForeignHarmless,
  PROTECTIONS,
} from './features.js';
import type { WireNames } from './fields.js';
import { META, PREFIX, type RequestHeaders } from './headers.js';
import type { AnyOperation } from './operation.js';
import type { Query } from './query.js';
import { quoted } from './quoted.js';

/** Throws when a request says something that its operation neither reads nor may ignore. */
export type Refuse = (query: Query, headers: RequestHeaders) => void;

/** Methods that change nothing (RFC 9110 section 9.2.1). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

export const changes = (method: string): boolean => !SAFE.has(method);

/** A signed url has a signature, and perhaps the token of a session: the login's affair. */
const isSignature = (name: string): boolean =>
  /^(?:authorization|x-[a-z]+-security-token)$/i.test(name);

/** A name as it was meant, for comparisons: without capitals, blanks and invisible characters. */
const meant = (name: string): string => name.toLowerCase().replace(/[\s\p{C}]/gu, '');

/** Headers without our prefix that mean something to a change, so that none may be empty. */
const NEVER_EMPTY = new Set<string>([...PROTECTIONS, ...DIGESTS, 'content-md5', 'content-range']);

/** Clients in JavaScript send it empty with copies. */
const MAY_BE_EMPTY = `${PREFIX}copy-source-range`;
const CONTENT_SHA256 = `${PREFIX}content-sha256`;

/**
 * A signed url is a matter of the host's login. When that did not find out who signed it, the caller
 * must not be taken for an anonymous one.
 */
export function requireKnownSigner(query: Query, principal: Principal | undefined): void {
  if (principal !== undefined || ![...query.names()].map(meant).some(isSignature)) return;
  throw notOffered('Signed urls are not offered here. Send credentials in a header.');
}

/**
 * What each operation allows beside what it reads: derived from its route and from the names of its
 * fields, so that a new operation is covered by being declared.
 */
export function allowLists(operations: readonly AnyOperation[]): ReadonlyMap<AnyOperation, Refuse> {
  const taken = new Set(
    operations.flatMap((item) => [...namesOf(item).query].map((name) => name.toLowerCase())),
  );
  return new Map(operations.map((item) => [item, refusal(item, taken)]));
}

function refusal(operation: AnyOperation, taken: ReadonlySet<string>): Refuse {
  const { name: called, route } = operation;
  // A browser asks about a request that is still to come: its url says what that will be.
  if (route.method === 'OPTIONS') return () => {};
  const allowed = namesOf(operation);
  const families = [...allowed.headers]
    .filter((name) => name.endsWith('*'))
    .map((name) => name.slice(0, -1));
  const changing = changes(route.method);

  const checkQuery = (unread: readonly string[], prefix: string): void => {
    const asked = unread.find((name) => isFeatureInQuery(meant(name), prefix));
    if (asked !== undefined) {
      throw notOffered(`The query parameter ${quoted(asked)} asks for what is not offered here.`);
    }
    const odd = changing ? unread[0] : unread.find((name) => taken.has(meant(name)));
    if (odd !== undefined) throw invalid(`${called} takes no query parameter ${quoted(odd)}.`);
  };
  const checkHeader = (name: string): void => {
    if (HARMLESS_HEADERS.has(name) || families.some((family) => name.startsWith(family))) return;
    if (isFeature(name)) throw notOffered(`The header ${name} asks for what is not offered here.`);
    throw invalid(`${called} takes no header ${name}.`);
  };

  return (query, headers) => {
    const unread = [...query.names()].filter(
      (name) => !allowed.query.has(name) && !isSignature(name),
    );
    if (unread.length > 0) checkQuery(unread, headers.prefix);
    for (const name of headers.names()) {
      const ours = name.startsWith(PREFIX) && !allowed.headers.has(name);
      if (ours && headers.has(name)) checkHeader(name);
    }
    if (!changing) return;
    for (const name of headers.names()) {
      if (!isMeaningful(name) || headers.has(name)) continue;
      if (name !== MAY_BE_EMPTY || !headers.has(`${PREFIX}copy-source`)) {
        throw invalid(`The header ${name} is empty. Give it a value, or leave it out.`);
      }
    }
    for (const { dialect, name, value } of headers.foreign) {
      if (isForeignHarmless(name, value)) continue;
      const other = dialect.slice(0, -1);
      throw notOffered(
        `Headers begin with ${PREFIX} here: ${quoted(name)} after ${other} would be ignored. ` +
          'Send it as this service calls it, or leave it out.',
      );
    }
    for (const name of [...PROTECTIONS, ...DIGESTS]) {
      if (allowed.headers.has(name) || !headers.has(name)) continue;
      throw notOffered(`${called} does not evaluate ${name}, so it is not carried out.`);
    }
    // RFC 9110 section 14.5: else a part of an object would take the place of the whole.
    if (headers.has('content-range')) {
      throw invalid(`${called} takes no part of a body. Send it whole, without Content-Range.`);
    }
  };
}

/** Whether a change would be another one without the header. */
function isMeaningful(name: string): boolean {
  if (!name.startsWith(PREFIX)) return NEVER_EMPTY.has(name);
  return !name.startsWith(META) && (name === CONTENT_SHA256 || !HARMLESS_HEADERS.has(name));
}

function namesOf({ route, input, ignores = [] }: AnyOperation) {
  const fields = (Object.values(input) as { readonly names: WireNames }[]).map(
    ({ names }) => names,
  );
  return {
    query: new Set([...(route.query ?? []), ...fields.flatMap(({ query = [] }) => query)]),
    headers: new Set([
      ...ignores,
      ...(route.headers ?? []),
      ...fields.flatMap(({ headers = [] }) => headers),
    ]),
  };
}

const notOffered = (message: string) => new StorageError('NotImplemented', message);
const invalid = (message: string) => new StorageError('InvalidArgument', message);
