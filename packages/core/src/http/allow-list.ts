import { StorageError } from '../errors.js';
import { MAX_LISTED } from '../limits.js';
import { quoted } from '../quoted.js';
import type { RequestHeaders } from './headers.js';
import type { Operation } from './operation.js';
import type { Query } from './query.js';

/** Throws when a request contains something that its operation neither reads nor may ignore. */
export type Refuse = (query: Query, headers: RequestHeaders) => void;

/** What a dialect knows in addition to what its operations read. Names are in lower case. */
export interface Vocabulary {
  /** Whether a query parameter requests a feature that no operation supports. */
  isFeatureInQuery(name: string, prefix: string): boolean;
  /** The same for a header of the dialect. */
  isFeature(header: string): boolean;
  /** Headers of the dialect that any request may have, and that may be ignored. */
  readonly harmless: ReadonlySet<string>;
  /** Whether a header of another dialect may be ignored. `name` does not include the prefix. */
  isHarmlessForeignHeader(name: string, value: string): boolean;
  /** Whether a query parameter has no effect when it is empty. */
  readonly idle?: (name: string, prefix: string) => boolean;
  /** Whether a query parameter belongs to a signature. */
  isSignature(name: string): boolean;
  /** Whether a header of the dialect may be empty on a change. */
  mayBeEmpty(header: string, headers: RequestHeaders): boolean;
}

/** Digests of RFC 9530 and of RFC 3230 before it. They are not compared here. */
export const DIGESTS = ['digest', 'content-digest', 'repr-digest'] as const;

/**
 * Conditions that protect stored data. An operation that does not evaluate one must not make a
 * change.
 */
const PROTECTIONS = ['if-match', 'if-none-match', 'if-unmodified-since'] as const;

/** Methods that change nothing (RFC 9110 section 9.2.1). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

export const changes = (method: string): boolean => !SAFE.has(method);

/** A name normalised for comparisons: lower case, without spaces and invisible characters. */
export const normalizedName = (name: string): string =>
  name.toLowerCase().replace(/[\s\p{C}]/gu, '');

/** Headers without the dialect's prefix that affect a change, so none of them may be empty. */
const NEVER_EMPTY = new Set<string>([...PROTECTIONS, ...DIGESTS, 'content-md5', 'content-range']);

/**
 * What each operation allows: derived from its route and its readers, so that a new operation is
 * covered as soon as it is declared.
 */
export function allowLists(
  operations: readonly Operation[],
  vocabulary: Vocabulary,
): ReadonlyMap<Operation, Refuse> {
  const taken = new Set(
    operations.flatMap((item) => [...namesOf(item).query].map((name) => name.toLowerCase())),
  );
  return new Map(operations.map((item) => [item, refusal(item, taken, vocabulary)]));
}

function refusal(operation: Operation, taken: ReadonlySet<string>, vocabulary: Vocabulary): Refuse {
  const { action, route } = operation;
  // A preflight has the URL of the request that follows it, so it may have parameters that it does
  // not read.
  if (route.method === 'OPTIONS') return () => {};
  const called = action.name;
  const allowed = namesOf(operation);
  const families = familiesIn(allowed.headers);
  const queryFamilies = familiesIn(allowed.query);
  const changing = changes(route.method);
  const { harmless } = vocabulary;

  const checkQuery = (unread: readonly string[], prefix: string): void => {
    const feature = unread.find((name) =>
      vocabulary.isFeatureInQuery(normalizedName(name), prefix),
    );
    if (feature !== undefined) {
      throw notOffered(
        `The query parameter ${quoted(feature)} requests a feature that is not supported.`,
      );
    }
    const odd = changing ? unread[0] : unread.find((name) => taken.has(normalizedName(name)));
    if (odd !== undefined) throw invalid(`${called} has no query parameter ${quoted(odd)}.`);
  };
  const isInFamily = (name: string) => families.some((family) => name.startsWith(family));
  const checkHeader = (name: string): void => {
    if (harmless.has(name) || isInFamily(name)) return;
    if (vocabulary.isFeature(name)) {
      throw notOffered(`The header ${name} requests a feature that is not supported.`);
    }
    throw invalid(`${called} does not support the header ${name}.`);
  };
  // If such a header were ignored, a different change would be made.
  const isMeaningful = (name: string, own: string): boolean =>
    name.startsWith(own) ? !isInFamily(name) && !isIgnorable(name) : NEVER_EMPTY.has(name);
  const isIgnorable = (name: string) => harmless.has(name) && !name.endsWith('content-sha256');

  return (query, headers) => {
    if (query.size > 0) {
      const { sent } = headers.prefixes;
      const unread = [...query.names()].filter(
        (name) =>
          !allowed.query.has(name) &&
          !queryFamilies.some((family) => name.startsWith(family)) &&
          !vocabulary.isSignature(name) &&
          !(vocabulary.idle?.(name, sent) && query.get(name) === ''),
      );
      if (unread.length > 0) checkQuery(unread, sent);
    }
    const { own, sent, others } = headers.prefixes;
    for (const name of headers.names()) {
      const ours = name.startsWith(own) && !allowed.headers.has(name);
      if (ours && headers.has(name)) checkHeader(name);
    }
    if (!changing) return;
    for (const name of headers.names()) {
      if (!isMeaningful(name, own) || headers.has(name)) continue;
      if (vocabulary.mayBeEmpty(name, headers)) continue;
      throw invalid(`The header ${name} is empty. Give it a value, or leave it out.`);
    }
    for (const { dialect, name, value } of headers.foreign) {
      if (vocabulary.isHarmlessForeignHeader(name, value)) continue;
      const other = dialect.slice(0, -1);
      throw notOffered(
        `Headers of this service begin with ${own}: ${quoted(name)} with the prefix ${other} would be ignored. ` +
          'Use the header of this service, or leave it out.',
      );
    }
    for (const name of [...PROTECTIONS, ...DIGESTS]) {
      if (allowed.headers.has(name) || !headers.has(name)) continue;
      throw notOffered(`${called} does not evaluate ${name}, so nothing was changed.`);
    }
    // Trailers are not read (RFC 9110 section 6.5).
    const trailers = headers.get('trailer')?.split(',', MAX_LISTED + 1) ?? [];
    if (trailers.length > MAX_LISTED) throw invalid('The header Trailer has too many names.');
    for (const name of trailers.map((text) => text.trim().toLowerCase())) {
      const isOfDialect = [sent, ...others].some((prefix) => name.startsWith(prefix));
      if (!isOfDialect && !NEVER_EMPTY.has(name)) continue;
      throw notOffered(`${quoted(name)} in a trailer is not read. Send it as a header.`);
    }
    // Otherwise a part of an object would replace the whole (RFC 9110 section 14.5).
    if (headers.has('content-range')) {
      throw invalid(
        `${called} does not accept a part of a body. Send the whole body, without Content-Range.`,
      );
    }
  };
}

function namesOf({ route, reads, ignores }: Operation) {
  const readers = Object.values(reads);
  return {
    query: new Set([...(route.query ?? []), ...readers.flatMap(({ query = [] }) => query)]),
    headers: new Set([
      ...ignores,
      ...(route.headers ?? []),
      ...readers.flatMap(({ headers = [] }) => headers),
    ]),
  };
}

/** The beginnings of the names that end in `*`. */
const familiesIn = (names: ReadonlySet<string>): readonly string[] =>
  [...names].filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));

const notOffered = (message: string) => new StorageError('NotImplemented', message);
const invalid = (message: string) => new StorageError('InvalidArgument', message);
