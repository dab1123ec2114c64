/**
 * Throws a TypeError for a name that is not known, because ignoring it would hide a misspelling.
 * `what`: the beginning of the message, such as `upload() has no option`.
 */
export function refuseUnknown(what: string, given: object, known: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const start = name.slice(0, 3).toLowerCase();
    const near = known.filter((other) => other.toLowerCase().startsWith(start));
    const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'Check its spelling.';
    throw new TypeError(`${what} ${name}. ${hint}`);
  }
}
