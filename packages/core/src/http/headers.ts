import { StorageError } from '../errors.js';
import { MAX_HEADER_FIELDS } from '../limits.js';
import type { OptionKind } from '../options.js';

/** How the interface's own headers start; hosts may configure another prefix on the wire. */
export const PREFIX = 'x-svc-';
export const META = `${PREFIX}meta-`;

/** How the headers of this dialect and of its relatives start. */
const DIALECTS = [PREFIX, 'x-bce-', 'x-amz-', 'x-oss-', 'x-cos-'];

/** What the option `headerPrefix` may be. */
export const HEADER_PREFIX: OptionKind = {
  is: 'the beginning of header names, such as x-acme-',
  fits: (value) =>
    typeof value === 'string' && /^x-[a-z0-9-]*[a-z0-9]-$/i.test(value) && !value.includes('--'),
};

/** These may come several times, and mean the same as one header with a list. */
const LISTS = new Set(['if-match', 'if-none-match']);

interface ForeignHeader {
  /** How the headers of the dialect start. */
  readonly dialect: string;
  /** In lower case, without the start. */
  readonly name: string;
  readonly value: string;
}

/**
 * The headers of a request, read from the raw list: Node joins, drops or hides some of them in
 * its own maps. Names are in lower case and carry the standard prefix.
 */
export class RequestHeaders {
  /** How the interface's own headers start on the wire. */
  readonly prefix: string;
  /** Headers of another dialect: what a client means by them is not what they say here. */
  readonly foreign: readonly ForeignHeader[];
  readonly #values = new Map<string, string[]>();

  constructor(raw: readonly string[], prefix: string = PREFIX) {
    const foreign: ForeignHeader[] = [];
    this.prefix = prefix;
    this.foreign = foreign;
    // Node keeps only so many headers and says nothing about the rest (CVE-2026-58044).
    if (raw.length >= 2 * MAX_HEADER_FIELDS) {
      throw new StorageError('InvalidHTTPRequest', 'The request has too many headers.');
    }
    for (let at = 0; at < raw.length; at += 2) {
      const sent = (raw[at] as string).toLowerCase();
      const value = raw[at + 1] as string;
      const ours = sent.startsWith(prefix);
      const dialect = ours ? undefined : DIALECTS.find((other) => sent.startsWith(other));
      if (dialect !== undefined) {
        foreign.push({ dialect, name: sent.slice(dialect.length), value });
        continue;
      }
      const name = ours ? PREFIX + sent.slice(prefix.length) : sent;
      const values = this.#values.get(name);
      if (values === undefined) this.#values.set(name, [value]);
      else values.push(value);
    }
    // RFC 9112 section 3.2: a second Host must be refused; Node would take the first.
    this.get('host');
  }

  /** The value of a header. Empty is as good as absent; twice is refused, except for lists. */
  get(name: string): string | undefined {
    const values = this.#values.get(name);
    if (values === undefined) return undefined;
    if (values.length > 1 && !LISTS.has(name)) {
      throw new StorageError('InvalidHTTPRequest', `The header ${name} was sent more than once.`);
    }
    // Node has cut blanks and tabs at both ends; other white space belongs to the value.
    const value = values.length === 1 ? (values[0] as string) : values.filter(Boolean).join(', ');
    return value === '' ? undefined : value;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  names(): IterableIterator<string> {
    return this.#values.keys();
  }
}

/** Response headers under the configured prefix. */
export function withPrefix(
  headers: Readonly<Record<string, string>>,
  prefix: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.startsWith(PREFIX) ? prefix + name.slice(PREFIX.length) : name,
      value,
    ]),
  );
}
