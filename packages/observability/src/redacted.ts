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
  // The value, such as the page after a login, or even the name may be a URL with a signature.
  const plain = decoded(name);
  const value = decoded(pair.slice(name.length));
  const isSecret = SECRET.test(plain) || (value.includes('=', 1) && SECRET.test(value));
  if (!isSecret) return pair;
  return plain.includes('=') ? '***' : `${name}=***`;
}

/** How often a URL within a URL within a URL may be encoded. */
const MOST_TIMES = 5;

/** Decodes the ASCII characters, also those of text that is not UTF-8 or was encoded repeatedly. */
function decoded(text: string): string {
  let found = text;
  for (let times = 0; times < MOST_TIMES && found.includes('%'); times++) {
    found = found.replace(/%[0-7][0-9a-f]/gi, (code) =>
      String.fromCharCode(Number.parseInt(code.slice(1), 16)),
    );
  }
  return found;
}
