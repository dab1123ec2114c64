import { StorageError } from '../errors.js';
import { MAX_HEADER_FIELDS } from '../limits.js';
import type { OptionKind } from '../options.js';

/** What the option `headerPrefix` may be. */
export const HEADER_PREFIX: OptionKind = {
  is: 'the beginning of header names, such as x-acme-',
  fits: (value) =>
    typeof value === 'string' && /^x-[a-z0-9-]*[a-z0-9]-$/i.test(value) && !value.includes('--'),
};

/** These may come several times, and mean the same as one header with a list. */
const LISTS = new Set(['if-match', 'if-none-match']);

/** How the headers of dialects begin, in lower case. */
export interface Prefixes {
  /** As the dialect's operations name them. */
  readonly own: string;
  /** As they are sent. */
  readonly sent: string;
  /** Those of other dialects. */
  readonly others: readonly string[];
}

interface ForeignHeader {
  /** How the headers of the dialect begin. */
  readonly dialect: string;
  /** In lower case, without the prefix. */
  readonly name: string;
  readonly value: string;
}

const NONE: readonly ForeignHeader[] = [];

/**
 * The headers of a request, read from the raw list: Node joins, drops or hides some of them in
 * its own maps. Names are in lower case and carry the dialect's own prefix.
 */
export class RequestHeaders {
  readonly prefixes: Prefixes;
  /** Headers of another dialect: what a client means by them is not what they say here. */
  readonly foreign: readonly ForeignHeader[];
  readonly #values = new Map<string, string | string[]>();

  constructor(raw: readonly string[], prefixes: Prefixes) {
    const { own, sent, others } = prefixes;
    this.prefixes = prefixes;
    let foreign: ForeignHeader[] | undefined;
    // Node keeps only so many headers and says nothing about the rest (CVE-2026-58044).
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
    // RFC 9112 section 3.2: a second Host must be refused; Node would take the first.
    this.get('host');
  }

  /** The value of a header. Empty is as good as absent; twice is refused, except for lists. */
  get(name: string): string | undefined {
    const found = this.#values.get(name);
    // Node has cut spaces and tabs at both ends; other white space belongs to the value.
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
