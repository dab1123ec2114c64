const HOST = String.raw`(?:\[[0-9a-f:.%]*\]|[^@/?#:[\]]*)(?::\d*)?`;
const URL_SHAPE = new RegExp(
  '^(?<scheme>[a-z][a-z0-9+.-]*)://(?:(?<user>[^@/?#]*)@)?' +
    String.raw`(?<host>${HOST})(?<path>/[^@?#]*)?(?<query>\?[^@#]*)?$`,
  'i',
);

interface Parts {
  readonly scheme: string;
  readonly user: string | undefined;
  readonly host: string;
  readonly path: string | undefined;
  readonly query: string | undefined;
}

const partsOf = (url: string): Parts | undefined =>
  URL_SHAPE.exec(url)?.groups as Parts | undefined;

const schemeOf = (text: string): string | undefined => /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1];

/**
 * Throws when it is not clear where a user name or password ends, because it could then be shown.
 */
export function checkUrl(url: string): void {
  if (partsOf(url) !== undefined) return;
  throw new TypeError(
    `The URL ${redacted(url)} is not valid. Write it as scheme://user:password@host:port/path. ` +
      'Percent-encode / ? # : and @ within the user name and the password.',
  );
}

/** A URL without user name, password and query values, for messages. */
export function redacted(url: string): string {
  const parts = partsOf(url);
  if (parts === undefined) return `${schemeOf(url) ?? ''}:***`;
  const { scheme, user, host, path = '', query } = parts;
  const who = user === undefined ? '' : '***@';
  return `${scheme}://${who}${host}${path}${query === undefined ? '' : '?***'}`;
}

/** The name of a driver for messages. Text that looks like a URL may contain a password. */
export function nameOf(driver: string): string {
  if (/^[a-z-]{1,20}$/i.test(driver)) return `'${driver}'`;
  const scheme = schemeOf(driver);
  return scheme === undefined ? 'of this name' : `'${scheme}:'`;
}

/**
 * An error and its causes without secrets: no password and no query value of the URL. Keeps only
 * the properties of system errors.
 */
export function errorWithout(url: string, error: unknown): unknown {
  const secrets = secretsOf(url);
  const clean = (text: string): string =>
    secrets.reduce((all, secret) => all.replaceAll(secret, '***'), text);
  return copyOf(error, clean, 0);
}

const SHOWN = ['code', 'errno', 'syscall', 'hostname', 'address', 'port'];
const MAX_DEPTH = 10;

function copyOf(error: unknown, clean: (text: string) => string, depth: number): unknown {
  if (!(error instanceof Error)) return clean(String(error));
  const { name, message, stack = '', cause } = error;
  const { errors } = error as Partial<AggregateError>;
  const below = (inner: unknown): unknown =>
    depth < MAX_DEPTH ? copyOf(inner, clean, depth + 1) : undefined;
  const options = cause === undefined ? undefined : { cause: below(cause) };
  const copy = errors
    ? new AggregateError(errors.map(below), clean(message), options)
    : new Error(clean(message), options);
  // These lines of the stack contain file names, but no values.
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const head = clean(message === '' ? name : `${name}: ${message}`);
  Object.defineProperty(copy, 'name', { value: name });
  Object.defineProperty(copy, 'stack', { value: [head, ...frames].join('\n') });
  for (const key of SHOWN) {
    const value = (error as unknown as Record<string, unknown>)[key];
    if (value === undefined) continue;
    Object.assign(copy, { [key]: typeof value === 'string' ? clean(value) : value });
  }
  return copy;
}

/** Query values that help to find a mistake and are not secret. */
const OPEN_VALUES = ['host', 'port', 'sslmode'];

/** The texts that must not be shown. The longest come first, because one may contain another. */
function secretsOf(url: string): string[] {
  const { user = '', query = '' } = partsOf(url) ?? {};
  const password = user.includes(':') ? user.slice(user.indexOf(':') + 1) : user;
  const values = query
    .slice(1)
    .split('&')
    .map((pair) => pair.split('='))
    .filter(([name = '']) => !OPEN_VALUES.includes(name))
    .map(([, ...value]) => value.join('='));
  const encoded = [url, user, password, ...values];
  const all = encoded.flatMap((text) => [text, decoded(text), decoded(text.replaceAll('+', ' '))]);
  return [...new Set(all)].filter(Boolean).sort((a, b) => b.length - a.length);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
