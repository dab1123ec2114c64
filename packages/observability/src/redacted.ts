/** Query parameters that let whoever reads them act as somebody else. */
const SECRET = /signature|token|credential|authorization/i;

/** A url without the values that sign it: a log must not contain links that still work. */
export function redacted(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return url;
  const pairs = url.slice(at + 1).split('&');
  return `${url.slice(0, at)}?${pairs.map(redactedPair).join('&')}`;
}

function redactedPair(pair: string): string {
  const [name = ''] = pair.split('=', 1);
  return SECRET.test(decoded(name)) ? `${name}=***` : pair;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // Not percent-encoded UTF-8: no parameter that the storage reads.
  }
}
