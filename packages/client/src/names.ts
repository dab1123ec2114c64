/** How many letters two names share at their beginning, in upper or lower case. */
function shared(one: string, other: string): number {
  const [first, second] = [one.toLowerCase(), other.toLowerCase()];
  let at = 0;
  while (at < first.length && first[at] === second[at]) at++;
  return at;
}

/**
 * Throws a TypeError for a name that is not known, because ignoring it would hide a misspelling.
 * `what`: the beginning of the message, such as `upload() has no option`.
 */
export function refuseUnknown(what: string, given: object, known: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const nearer = (one: string, other: string) =>
      shared(name, other) > shared(name, one) ? other : one;
    const nearest = known.reduce(nearer);
    const isNear = 2 * shared(name, nearest) > name.length;
    const hint = isNear ? `Did you mean ${nearest}?` : `Known are ${known.join(', ')}.`;
    throw new TypeError(`${what} ${name}. ${hint}`);
  }
}
