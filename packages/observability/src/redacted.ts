/** The names of query parameters that a reader of the log could use to act as the signer. */
const SECRET = /signature|token|credential|authorization/i;

/** Removes the values of a signature from a URL, because a log must not contain working links. */
export function redacted(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return url;
  const pairs = url.slice(at + 1).split('&');
  return `${url.slice(0, at)}?${pairs.map(redactedPair).join('&')}`;
}

function redactedPair(pair: string): string {
  const [name = ''] = pair.split('=', 1);
  return SECRET.test(decoded(name)) || hasLink(pair.slice(name.length)) ? `${name}=***` : pair;
}

/** Whether the value of a parameter, such as the page after a login, is a URL with a signature. */
function hasLink(value: string): boolean {
  const text = decoded(decoded(value));
  return text.includes('=', 1) && SECRET.test(text);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // Not percent-encoded UTF-8, so not a parameter that the storage reads.
  }
}
