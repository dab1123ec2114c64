import leven, { closestMatch } from 'leven';

/*
 * A table of kinds instead of valibot: every driver loads this file with the contracts, which takes
 * 6 ms. With valibot, that would take twice as long and 0.9 MB more.
 */

/** A kind of option value. */
export interface OptionKind {
  /** The end of the sentence "`name` must be ...". */
  readonly is: string;
  fits(value: unknown): boolean;
  /** The methods that an object must have. A message names those that it lacks. */
  readonly methods?: readonly string[];
  /** The option must be given. */
  readonly required?: boolean;
}

/** Every option of `T` with its kind. If a name is missing, the code does not compile. */
export type KnownOptions<T> = { readonly [K in keyof Required<T>]: OptionKind };

/**
 * Checks the options of a public function, so that a misspelled one is not silently ignored. Throws
 * a TypeError that names the function, the option, and the nearest known name. `undefined` counts
 * as not given.
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
  const unknownName = findUnknownName(given, Object.keys(known));
  if (unknownName !== undefined) throw new TypeError(`${what} has no option ${unknownName}`);
  for (const [name, { is, fits, methods, required }] of Object.entries(known)) {
    const value = given[name];
    if (value === undefined && required !== true) continue;
    if (value === undefined) throw new TypeError(`${what} needs the option ${name}: ${is}.`);
    if (!fits(value)) {
      const found = shown(value, methods);
      throw new TypeError(`${what}: the option ${name} must be ${is}, not ${found}.`);
    }
  }
}

/**
 * Checks that a public function has got a storage with these methods. Throws a TypeError that says
 * what it got instead.
 */
export function checkStorage(what: string, given: unknown, ...methods: readonly string[]): void {
  if (hasMethods(given, methods)) return;
  const opened = 'a storage that openStorage() or createObjectStorage() has opened';
  throw new TypeError(`${what} takes ${opened}, not ${shown(given, methods)}.`);
}

/** The first unknown name, followed by a hint, as the end of a sentence. */
export function findUnknownName(given: object, known: readonly string[]): string | undefined {
  const unknownName = Object.keys(given).find((name) => !known.includes(name));
  if (unknownName === undefined) return undefined;
  const nearest = nearestOf(unknownName, known);
  const others = known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`;
  return `${unknownName}. ${nearest === undefined ? others : `Did you mean ${nearest}?`}`;
}

const bare = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * Whether a name differs from a known one only in case, as a plural, or by a letter or two. Short
 * names must match better: `note` is not a misspelled `not`.
 */
export function isNearMiss(name: string, known: string): boolean {
  // A client may send thousands of names, so long comparisons are avoided.
  if (name.length > 3 * known.length) return false;
  const [found, meant] = [bare(name), bare(known)];
  if (Math.abs(found.length - meant.length) > 2) return false;
  if (found === meant || found === `${meant}s`) return true;
  const maxDistance = meant.length <= 3 ? 0 : meant.length <= 5 ? 1 : 2;
  return maxDistance > 0 && leven(found, meant, { maxDistance: maxDistance + 1 }) <= maxDistance;
}

/** Ignores case and hyphens: `Content-Type` is near `contentType`. */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  const maxDistance = Math.max(2, Math.floor(name.length / 3));
  const nearest = closestMatch(bare(name), known.map(bare), { maxDistance });
  return known.find((candidate) => bare(candidate) === nearest);
}

/**
 * Whether a value is an object literal, possibly from another realm: not an array or an instance of
 * a class.
 */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Describes a value in a message. Strings may be secret or long, so only their type is shown. */
function shown(value: unknown, methods: readonly string[] = []): string {
  if (value === null || ['undefined', 'number', 'boolean'].includes(typeof value))
    return `${value}`;
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') {
    if (hasMethods(value, ['then'])) return 'a promise. Await it first';
    const missing = methods.filter((name) => !hasMethods(value, [name]));
    return missing.length === 0 ? 'an object' : `an object without ${missing.join(', ')}`;
  }
  return typeof value === 'string' ? 'this string' : `a ${typeof value}`;
}

const hasMethods = (value: unknown, methods: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');

const kind = (is: string, fits: (value: unknown) => boolean): OptionKind => ({ is, fits });

/** The kinds of options. */
export const kinds = {
  aFunction: kind('a function', (value) => typeof value === 'function'),
  aBoolean: kind('true or false', (value) => typeof value === 'boolean'),
  anObject: kind('an object', (value) => typeof value === 'object' && value !== null),
  /** An object with these methods, such as a driver. */
  having: (is: string, ...methods: readonly string[]): OptionKind => ({
    ...kind(is, (value) => hasMethods(value, methods)),
    methods,
  }),
  text: kind('a non-empty string', (value) => typeof value === 'string' && value !== ''),
  string: kind('a string', (value) => typeof value === 'string'),
  plainObject: kind('a plain object', isPlainObject),
  strings: kind(
    'a plain object whose values are strings',
    (value) => isPlainObject(value) && Object.values(value).every((one) => typeof one === 'string'),
  ),
  number: kind('a number', (value) => typeof value === 'number'),
  signal: kind('an AbortSignal', (value) => value instanceof AbortSignal),
  date: kind('a valid Date', (value) => value instanceof Date && !Number.isNaN(+value)),
  milliseconds: kind('a number of milliseconds, 0 or more', (value) => isNumber(value, 0)),
  /** For timers: Node replaces longer delays with one millisecond. */
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
