import leven, { closestMatch } from 'leven';

/*
 * A table of kinds, and no valibot: every driver loads this file with the contracts, which takes 6 ms.
 * With valibot it would take twice as long, and 0.9 MB more.
 */

/** What the value of an option may be. */
export interface OptionKind {
  /** The end of the sentence "`name` must be ...". */
  readonly is: string;
  fits(value: unknown): boolean;
  /** The option must be given. */
  readonly required?: boolean;
}

/** Every option of `T` and its kind. A name that is missing does not compile. */
export type KnownOptions<T> = { readonly [K in keyof Required<T>]: OptionKind };

/**
 * Checks the options of a public function at once, so that a misspelled one is not silently
 * ignored. Throws a TypeError that names the function, the option, and the nearest known name.
 * `undefined` counts as not given.
 *
 * ```ts
 * checkOptions('openThing()', options, { directory: kinds.text, onError: kinds.aFunction });
 * ```
 */
export function checkOptions(
  what: string,
  given: unknown,
  known: Readonly<Record<string, OptionKind>>,
): void {
  if (!isPlainObject(given)) {
    throw new TypeError(`${what} takes its options as a plain object, not as ${shown(given)}.`);
  }
  const stranger = strangerAmong(given, Object.keys(known));
  if (stranger !== undefined) throw new TypeError(`${what} has no option ${stranger}`);
  for (const [name, { is, fits, required }] of Object.entries(known)) {
    const value = given[name];
    if (value === undefined && required !== true) continue;
    if (value === undefined) throw new TypeError(`${what} needs the option ${name}: ${is}.`);
    if (!fits(value)) {
      throw new TypeError(`${what}: the option ${name} must be ${is}, not ${shown(value)}.`);
    }
  }
}

/** The first name that is not known, and the sentence that goes on from there. */
export function strangerAmong(given: object, known: readonly string[]): string | undefined {
  const stranger = Object.keys(given).find((name) => !known.includes(name));
  if (stranger === undefined) return undefined;
  const nearest = nearestOf(stranger, known);
  const others = known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`;
  return `${stranger}. ${nearest === undefined ? others : `Did you mean ${nearest}?`}`;
}

const bare = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * Whether a name is another one with other capitals, as a plural, or a letter or two off. Of short
 * names many others are a letter off: `note` is not meant to be `not`.
 */
export function isNearMiss(name: string, known: string): boolean {
  // Whoever sends names by the thousand must not have each compared at length.
  if (name.length > 3 * known.length) return false;
  const [found, meant] = [bare(name), bare(known)];
  if (Math.abs(found.length - meant.length) > 2) return false;
  if (found === meant || found === `${meant}s`) return true;
  const maxDistance = meant.length <= 3 ? 0 : meant.length <= 5 ? 1 : 2;
  return maxDistance > 0 && leven(found, meant, { maxDistance: maxDistance + 1 }) <= maxDistance;
}

/** Capitals and hyphens do not make a name another one: `Content-Type` is near `contentType`. */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  const maxDistance = Math.max(2, Math.floor(name.length / 3));
  const nearest = closestMatch(bare(name), known.map(bare), { maxDistance });
  return known.find((candidate) => bare(candidate) === nearest);
}

/** An object that somebody wrote down, also in another realm: no array, no instance of a class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A value in a message. Text may be a secret, or long: its type says enough. */
function shown(value: unknown): string {
  if (value === null || ['undefined', 'number', 'boolean'].includes(typeof value))
    return `${value}`;
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object';
  return typeof value === 'string' ? 'this text' : `a ${typeof value}`;
}

const kind = (is: string, fits: (value: unknown) => boolean): OptionKind => ({ is, fits });

/** The kinds of options. */
export const kinds = {
  aFunction: kind('a function', (value) => typeof value === 'function'),
  aBoolean: kind('true or false', (value) => typeof value === 'boolean'),
  anObject: kind('an object', (value) => typeof value === 'object' && value !== null),
  text: kind('text that is not empty', (value) => typeof value === 'string' && value !== ''),
  signal: kind('an AbortSignal', (value) => value instanceof AbortSignal),
  date: kind('a valid Date', (value) => value instanceof Date && !Number.isNaN(+value)),
  milliseconds: kind('a number of milliseconds, 0 or more', (value) => isNumber(value, 0)),
  /** For timers: Node takes a longer time for a millisecond. */
  interval: kind(
    `a number of milliseconds from 1 to ${2 ** 31 - 1}`,
    (value) => isNumber(value, 1) && value < 2 ** 31,
  ),
  /** A whole number from `min` on, or up to `max`. */
  whole: (min = 0, max = Number.POSITIVE_INFINITY): OptionKind =>
    kind(
      max === Number.POSITIVE_INFINITY
        ? `a whole number, ${min} or more`
        : `a whole number from ${min} to ${max}`,
      (value) => isNumber(value, min) && value <= max && value % 1 === 0,
    ),
  oneOf: (...values: readonly string[]): OptionKind =>
    kind(`one of ${values.join(', ')}`, (value) => values.includes(value as string)),
  orFalse: ({ is, fits }: OptionKind): OptionKind =>
    kind(`${is}, or false`, (value) => value === false || fits(value)),
  required: (needed: OptionKind): OptionKind => ({ ...needed, required: true }),
} as const;

const isNumber = (value: unknown, min: number): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= min;
