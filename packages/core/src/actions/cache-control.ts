/** A quoted string without a backslash: not every cache reads backslashes as RFC 9110 does. */
const QUOTED = /"[^"\\]*"/g;

/** The directives, with each quoted string replaced by text that is not a directive. */
const unquoted = (cacheControl: string): string => cacheControl.replace(QUOTED, '?');

/**
 * With one of these directives, a shared cache may store a response (RFC 9111 sections 3 and 3.5).
 */
const SHARES = /(?:^|[\s,])(?:public|s-maxage|max-age|must-revalidate)(?:$|[\s,=])/i;

/**
 * Whether a Cache-Control restricts a response to the caller who requested it. Directives count
 * only outside of quoted strings, and only without a value: `private="name"` protects nothing but
 * that header, and a cache that knows `must-understand` ignores the `no-store` next to it (RFC 9111
 * section 5.2.2).
 */
export function isForOne(cacheControl: string): boolean {
  const text = unquoted(cacheControl).toLowerCase();
  // Caches disagree on whether the text after an unclosed quote is quoted.
  const [certain = ''] = text.split('"');
  const directives = new Set(certain.split(',').map((item) => item.trim()));
  if (directives.has('private') || directives.has('no-cache')) return true;
  return directives.has('no-store') && !text.includes('must-understand');
}

/** Whether a Cache-Control allows caches to serve a response to other callers. */
export const isForOthers = (cacheControl: string): boolean =>
  !isForOne(cacheControl) && SHARES.test(unquoted(cacheControl));
