/**
 * Throws a TypeError for `undefined`, which is usually a misspelled name. JSON would not contain the
 * field, and without it, a grant or a rule would affect more. Only an id may be left to the server.
 */
export function refuseUndefined<Value>(name: string, value: Value): Value {
  if (value !== undefined || name === 'id') return value;
  throw new TypeError(`${name} is undefined. Pass a value, or leave it out.`);
}

/**
 * Throws a TypeError for a name that is not known, because ignoring it would hide a misspelling.
 * `what`: the beginning of the message, such as `upload() has no option`.
 */
export function refuseUnknown(what: string, given: object, known: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const start = name.slice(0, 3).toLowerCase();
    const near = known.filter((other) => other.toLowerCase().startsWith(start)).join(' or ');
    throw new TypeError(`${what} ${name}.${near && ` Did you mean ${near}?`}`);
  }
}
