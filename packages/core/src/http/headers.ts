import { StorageError } from '../errors.js';
import { MAX_HEADER_FIELDS } from '../limits.js';
import type { OptionKind } from '../options.js';

/** Prefixes of headers that already have a meaning. */
const TAKEN = ['x-amz-', 'x-forwarded-'];

/** The allowed values of the option `headerPrefix`. */
export const HEADER_PREFIX: OptionKind = {
  is: `the beginning of header names in lower case, such as x-acme-, and not ${TAKEN.join(' or ')}`,
  fits: (value) =>
    typeof value === 'string' &&
    /^x-[a-z0-9][a-z0-9-]*-$/.test(value) &&
    !value.includes('--') &&
    !TAKEN.includes(value),
};

/** Headers that may be repeated, which has the same meaning as one header with a list. */
const LISTS = new Set(['if-match', 'if-none-match']);

/** The header prefixes of dialects, in lower case. */
export interface Prefixes {
  /** The prefix that the dialect's operations use. */
  readonly own: string;
  /** The prefix on the wire. */
  readonly sent: string;
  /** The prefixes of other dialects. */
  readonly others: readonly string[];
}

interface ForeignHeader {
  /** The prefix of the dialect's headers. */
  readonly dialect: string;
  /** In lower case, without the prefix. */
  readonly name: string;
  readonly value: string;
}

const NONE: readonly ForeignHeader[] = [];

/**
 * The headers of a request, read from the raw list: Node joins, drops or hides some of them in its
 * own maps. Names are in lower case and have the dialect's own prefix.
 */
export class RequestHeaders {
  readonly prefixes: Prefixes;
  /** Headers of another dialect, which may mean something other than the client intends. */
  readonly foreign: readonly ForeignHeader[];
  readonly #values = new Map<string, string | string[]>();

  constructor(raw: readonly string[], prefixes: Prefixes) {
    const { own, sent, others } = prefixes;
    this.prefixes = prefixes;
    let foreign: ForeignHeader[] | undefined;
    // Node keeps a limited number of headers and silently drops the rest (CVE-2026-58044).
    if (raw.length >= 2 * MAX_HEADER_FIELDS) {
      throw new StorageError('InvalidHTTPRequest', 'The request has too many headers.');
    }
    for (let at = 0; at < raw.length; at += 2) {
      let name = (raw[at] as string).toLowerCase();
      const value = raw[at + 1] as string;
      if (name.startsWith('x-')) {
        if (name.startsWith(sent)) {
          if (sent !== own) name = own + name.slice(sent.length);
        } else {
          const sentName = name;
          const dialect = others.find((other) => sentName.startsWith(other));
          if (dialect !== undefined) {
            foreign ??= [];
            foreign.push({ dialect, name: name.slice(dialect.length), value });
            continue;
          }
        }
      }
      const earlier = this.#values.get(name);
      if (earlier === undefined) this.#values.set(name, value);
      else if (typeof earlier === 'string') this.#values.set(name, [earlier, value]);
      else earlier.push(value);
    }
    this.foreign = foreign ?? NONE;
    // RFC 9112 section 3.2: a second Host must be rejected; Node would use the first.
    this.get('host');
  }

  /**
   * The value of a header. An empty header counts as absent. Throws InvalidHTTPRequest for a
   * repeated one, except for lists.
   */
  get(name: string): string | undefined {
    const found = this.#values.get(name);
    // Node has already trimmed spaces and tabs. Other white space belongs to the value.
    if (found === undefined || typeof found === 'string') return found || undefined;
    if (!LISTS.has(name)) {
      throw new StorageError('InvalidHTTPRequest', `The header ${name} was sent more than once.`);
    }
    return found.filter(Boolean).join(', ') || undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  names(): IterableIterator<string> {
    return this.#values.keys();
  }
}
