/** A quoted string. One with a backslash is left: not every cache reads it as RFC 9110 does. */
const QUOTED = /"[^"\\]*"/g;

/** The directives, with something that is none in the place of each quoted string. */
const unquoted = (cacheControl: string): string => cacheControl.replace(QUOTED, '?');

/** With one of these, a shared cache may keep an answer (RFC 9111 sections 3 and 3.5). */
const SHARES = /(?:^|[\s,])(?:public|s-maxage|max-age|must-revalidate)(?:$|[\s,=])/i;

/**
 * Whether a Cache-Control keeps an answer for the caller who asked. Directives count outside of quoted
 * strings only, and whole: `private="name"` keeps nothing but that header, and a cache that knows
 * `must-understand` ignores the `no-store` next to it (RFC 9111 section 5.2.2).
 */
export function isForOne(cacheControl: string): boolean {
  const text = unquoted(cacheControl).toLowerCase();
  // What follows a quote without an end may be quoted or not.
  const [certain = ''] = text.split('"');
  const directives = new Set(certain.split(',').map((item) => item.trim()));
  if (directives.has('private') || directives.has('no-cache')) return true;
  return directives.has('no-store') && !text.includes('must-understand');
}

/** Whether a Cache-Control invites caches to give an answer to others. */
export const isForOthers = (cacheControl: string): boolean =>
  !isForOne(cacheControl) && SHARES.test(unquoted(cacheControl));
