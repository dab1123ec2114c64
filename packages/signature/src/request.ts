import type { SignedRequest } from '@bucketware/core/contracts';
import { canonicalQueryPart, decodeText } from './encoding.js';
import { SignatureError } from './errors.js';

/** The headers by name in lower case. */
export class HeaderFields {
  readonly #values = new Map<string, string[]>();

  constructor({ rawHeaders, host }: Pick<SignedRequest, 'rawHeaders' | 'host'>) {
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const name = (rawHeaders[at] as string).toLowerCase();
      const value = rawHeaders[at + 1] as string;
      const values = this.#values.get(name);
      if (values === undefined) this.#values.set(name, [value]);
      else values.push(value);
    }
    if (host !== undefined) this.#values.set('host', [host]);
  }

  /** All values of a header, in order. */
  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** The value of a header. Throws if it occurs more than once. */
  one(name: string): string | undefined {
    const values = this.all(name);
    if (values.length > 1) {
      throw new SignatureError('InvalidRequest', `The header ${name} was sent more than once.`);
    }
    return values[0];
  }

  /**
   * The values of a header that the client signed, in order. Proxies such as nginx grant and remove
   * `Expect`, which has only one value (RFC 9110, section 10.1.1).
   */
  signed(name: string): readonly string[] | undefined {
    return this.#values.get(name) ?? (name === 'expect' ? ['100-continue'] : undefined);
  }

  names(): IterableIterator<string> {
    return this.#values.keys();
  }
}

interface Parameter {
  /** The name in lower case, for look-ups. */
  readonly key: string;
  /** The name as it is signed. */
  readonly name: string;
  readonly value: string;
}

/** The parameters of a query in the form that is signed. */
export class QueryFields {
  readonly parameters: readonly Parameter[] = [];

  constructor(rawQuery: string) {
    if (rawQuery === '') return;
    this.parameters = rawQuery
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const at = pair.indexOf('=');
        const name = canonicalQueryPart(at < 0 ? pair : pair.slice(0, at));
        const value = at < 0 ? '' : canonicalQueryPart(pair.slice(at + 1));
        return { key: name.toLowerCase(), name, value };
      });
  }

  has(key: string): boolean {
    return this.parameters.some((parameter) => parameter.key === key);
  }

  /**
   * The text of a parameter, whose name is compared case-insensitively. Throws if it occurs more
   * than once, because it would be unclear which one to use.
   */
  one(key: string): string | undefined {
    const [first, second] = this.parameters.filter((parameter) => parameter.key === key);
    if (first === undefined) return undefined;
    const text = decodeText(first.value);
    if (second !== undefined || text === undefined) {
      const what = second === undefined ? 'is not valid UTF-8' : 'was given more than once';
      const message = `The query parameter ${first.name} ${what}.`;
      throw new SignatureError('AuthorizationQueryParametersError', message);
    }
    return text;
  }
}

/** Orders ASCII text by its bytes. */
export const byBytes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
