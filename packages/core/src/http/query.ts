import { StorageError } from '../errors.js';
import { MAX_PARAMETERS } from '../limits.js';

const TOO_MANY = `The query has more than ${MAX_PARAMETERS} parameters.`;

/** The empty query of most requests. It is never changed. */
const NOTHING = new Map<string, string[]>();

/** The parameters of a query string. A flag such as `?uploads` has an empty value. */
export class Query {
  #values: Map<string, string[]>;

  constructor(raw: string) {
    this.#values = raw === '' ? NOTHING : new Map();
    if (raw === '') return;
    let count = 0;
    for (const pair of raw.split('&')) {
      if (pair === '') continue;
      count++;
      if (count > MAX_PARAMETERS) throw new StorageError('InvalidArgument', TOO_MANY);
      const at = pair.indexOf('=');
      const name = decode(at < 0 ? pair : pair.slice(0, at));
      const value = at < 0 ? '' : decode(pair.slice(at + 1));
      const values = this.#values.get(name);
      if (values === undefined) this.#values.set(name, [value]);
      else values.push(value);
    }
  }

  get(name: string): string | undefined {
    const values = this.#values.get(name);
    if (values === undefined) return undefined;
    if (values.length > 1) {
      const message = `The query parameter ${name} was given more than once.`;
      throw new StorageError('InvalidArgument', message);
    }
    return values[0];
  }

  get size(): number {
    return this.#values.size;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  names(): IterableIterator<string> {
    return this.#values.keys();
  }

  /** The same parameters, except some. */
  without(isLeftOut: (name: string) => boolean): Query {
    const rest = new Query('');
    rest.#values = new Map([...this.#values].filter(([name]) => !isLeftOut(name)));
    return rest;
  }
}

/** In a query, `+` means a space, as in HTML forms; `%2B` means a plus sign. */
function decode(text: string): string {
  const decoded = percentDecode(text.replaceAll('+', ' '));
  if (decoded === undefined) {
    throw new StorageError('InvalidURI', 'The query is not valid percent-encoded UTF-8.');
  }
  return decoded;
}

/** Decodes percent-encoded UTF-8. Returns `undefined` when it is not valid. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // The only possible error is a URIError.
  }
}

/** A byte order mark is a character like any other. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes a percent-encoded header. Clients that do not encode it send UTF-8. `undefined` if it is
 * neither.
 */
export function headerText(value: string): string | undefined {
  const text = utf8Of(value);
  return text === undefined ? undefined : percentDecode(text);
}

/**
 * Decodes a header as UTF-8: Node decodes it as Latin-1. `undefined` if the bytes are not UTF-8.
 */
export function utf8Of(value: string): string | undefined {
  try {
    return decoder.decode(Buffer.from(value, 'latin1'));
  } catch {
    return undefined; // The only possible error is a TypeError.
  }
}
