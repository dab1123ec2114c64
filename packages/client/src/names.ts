/** The number of letters to insert, remove or replace (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const letter of one) {
    let left = (row[0] as number) + 1;
    row = row.map((above, at) => {
      if (at === 0) return left;
      const corner = row[at - 1] as number;
      left = Math.min(above + 1, left + 1, corner + (letter === other[at - 1] ? 0 : 1));
      return left;
    });
  }
  return row.at(-1) as number;
}

/**
 * Throws a TypeError for a name that is not known, because ignoring it would hide a misspelling.
 * `what`: the beginning of the message, such as `upload() has no option`.
 */
export function refuseUnknown(what: string, given: object, known: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const far = (other: string) => distance(name.toLowerCase(), other.toLowerCase());
    const [nearest = ''] = [...known].sort((one, other) => far(one) - far(other));
    const isNear = 2 * far(nearest) < name.length;
    const hint = isNear ? `Did you mean ${nearest}?` : `Known are ${known.join(', ')}.`;
    throw new TypeError(`${what} ${name}. ${hint}`);
  }
}
