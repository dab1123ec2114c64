import { type ErrorCode, StorageError } from '../errors.js';
import { MAX_KEY_BYTES, MAX_PAGE } from '../limits.js';
import { parseHttpDate } from './dates.js';
import type { RequestHeaders } from './headers.js';
import type { Check } from './members.js';
import type { Query } from './query.js';

/*
 * The vocabulary in which an operation declares its input: where a value stands on the wire, what
 * it may be, and what holds without it. The programmatic door gives the same values directly and
 * goes through the same checks.
 */

/** The parts of a request that input is read from. */
export interface InputSource {
  readonly query: Query;
  readonly headers: RequestHeaders;
  /** The parsed body of a JSON operation. */
  readonly json?: unknown;
}

/** Reads a value from the wire as text, or takes it from a program as it is. Throws {@link Unfit}. */
export interface Codec<T, Given = T> {
  fromText(text: string): T;
  fromValue(value: Given): T;
}

/** The names by which a field stands on the wire. */
export interface WireNames {
  readonly query?: readonly string[];
  /** In lower case. One that ends in `*` is every header that begins so. */
  readonly headers?: readonly string[];
}

/** What a value should have been: the end of the sentence "`name` must be ...". */
export class Unfit extends Error {
  readonly code: ErrorCode;

  constructor(message: string, code: ErrorCode = 'InvalidArgument') {
    super(message);
    this.code = code;
  }
}

/** One input of an operation. `Given` is what the programmatic door accepts for it. */
export interface Field<T, Given> {
  /** What else a request says is refused or ignored, as these names decide. */
  readonly names: WireNames;
  read(source: InputSource): T;
  /** `name` is what the program calls it. */
  accept(given: Given, name: string): T;
  /** A program that gives it as `undefined` has made a mistake. */
  readonly neverUndefined?: boolean;
}

export type Fields = Readonly<Record<string, Field<unknown, never>>>;
export type InputOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T, never> ? T : never;
};
type GivenOf<F> = F extends Field<unknown, infer Given> ? Given : never;
export type ParamsOf<F extends Fields> = {
  readonly [K in keyof F as undefined extends GivenOf<F[K]> ? never : K]: GivenOf<F[K]>;
} & {
  readonly [K in keyof F as undefined extends GivenOf<F[K]> ? K : never]?: GivenOf<F[K]>;
};

/** A field that may be absent, with its two stricter forms. */
export interface OptionalField<T, Given> extends Field<T | undefined, Given | undefined> {
  required(): Field<T, Given>;
  or(fallback: T): Field<T, Given | undefined>;
}

export const query = <T, Given>(name: string, codec: Codec<T, Given>): OptionalField<T, Given> =>
  optional(`The query parameter ${name}`, codec, { query: [name] }, (source) =>
    source.query.get(name),
  );

/** The same for a field without which an operation does something else altogether. */
export const neverUndefined = <F extends Field<unknown, never>>(field: F): F => ({
  ...field,
  neverUndefined: true,
});

/** A header may have a second spelling that the interface shows too. Both must not say two things. */
export const header = <T, Given>(
  name: string,
  codec: Codec<T, Given>,
  alias?: string,
): OptionalField<T, Given> => {
  const names = { headers: alias === undefined ? [name] : [name, alias] };
  return optional(`The header ${name}`, codec, names, ({ headers }) => {
    const found = headers.get(name);
    const other = alias === undefined ? undefined : headers.get(alias);
    if (found !== undefined && other !== undefined && found !== other) {
      const message = `The headers ${name} and ${alias} differ.`;
      throw new StorageError('InvalidHTTPRequest', message);
    }
    return found ?? other;
  });
};

function optional<T, Given>(
  label: string,
  codec: Codec<T, Given>,
  names: WireNames,
  text: (source: InputSource) => string | undefined,
): OptionalField<T, Given> {
  const explained = <V>(called: string, make: () => V): V => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      throw new StorageError(error.code, `${called} must be ${error.message}.`);
    }
  };
  const read = (source: InputSource): T | undefined => {
    const found = text(source);
    return found === undefined ? undefined : explained(label, () => codec.fromText(found));
  };
  const accept = (given: Given | undefined, name: string): T | undefined =>
    given === undefined ? undefined : explained(name, () => codec.fromValue(given));
  const present = (value: T | undefined, called: string): T => {
    if (value === undefined) throw new StorageError('InvalidArgument', `${called} is missing.`);
    return value;
  };
  return {
    names,
    read,
    accept,
    required: () => ({
      names,
      read: (source) => present(read(source), label),
      accept: (given, name) => present(accept(given, name), name),
    }),
    or: (fallback) => ({
      names,
      read: (source) => read(source) ?? fallback,
      accept: (given, name) => accept(given, name) ?? fallback,
    }),
  };
}

/** Half a character has no form in UTF-8: drivers would keep it differently, or as another one. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed();

const requireText = (value: unknown): string => {
  if (!isText(value)) throw new Unfit('well-formed text');
  return value;
};

export const text: Codec<string> = { fromText: requireText, fromValue: requireText };

/** Text that keys are compared with: none is longer than 1,024 bytes. */
const requireKeyText = (value: unknown): string => {
  const found = requireText(value);
  if (Buffer.byteLength(found) > MAX_KEY_BYTES + 1) throw new Unfit('no longer than a key');
  return found;
};
export const keyText: Codec<string> = { fromText: requireKeyText, fromValue: requireKeyText };

/** At most one character, as a listing's delimiter must be. */
const requireCharacter = (value: unknown): string => {
  const found = requireText(value);
  if (Array.from(found).length > 1) throw new Unfit('a single character');
  return found;
};
export const character: Codec<string> = { fromText: requireCharacter, fromValue: requireCharacter };

const DIGITS = /^(0|[1-9]\d{0,15})$/;

/** A whole number within bounds, in plain decimal digits: no sign, blank, exponent or `0x`. */
export function integer(min: number, max: number): Codec<number> {
  const check = (value: unknown): number => {
    if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max) {
      throw new Unfit(`a whole number from ${min} to ${max}`);
    }
    return value as number;
  };
  return {
    fromText: (found) => check(DIGITS.test(found) ? Number(found) : undefined),
    fromValue: check,
  };
}

/** The size of a page: more than the maximum is answered with the maximum. */
const anySize = integer(0, Number.MAX_SAFE_INTEGER);
export const pageSize: Codec<number> = {
  fromText: (found) => Math.min(anySize.fromText(found), MAX_PAGE),
  fromValue: (value) => Math.min(anySize.fromValue(value), MAX_PAGE),
};

export function oneOf<const T extends string>(...values: readonly T[]): Codec<T> {
  const check = (value: unknown): T => {
    if (!values.includes(value as T)) throw new Unfit(`one of ${values.join(', ')}`);
    return value as T;
  };
  return { fromText: check, fromValue: check };
}

/** The same, where the interface does not care for capitals. */
export function oneOfIgnoringCase<const T extends string>(...values: readonly T[]): Codec<T> {
  const exact = oneOf(...values);
  return { fromText: (found) => exact.fromText(found.toLowerCase()), fromValue: exact.fromValue };
}

/** An HTTP date. One that cannot be read counts as absent (RFC 9110 section 13.1.3). */
export const date: Codec<Date | undefined, Date> = {
  fromText(found) {
    const time = parseHttpDate(found);
    return time === undefined ? undefined : new Date(time);
  },
  fromValue(value) {
    if (!(value instanceof Date) || Number.isNaN(+value)) throw new Unfit('a valid Date');
    return value;
  },
};

/** A header that says `true` or `false`. */
export const trueFlag: Codec<boolean> = {
  fromText: (found) => oneOfIgnoringCase('true', 'false').fromText(found) === 'true',
  fromValue(value) {
    if (typeof value !== 'boolean') throw new Unfit('true or false');
    return value;
  },
};

/**
 * A member of a JSON body; a program gives its value. `check` gets `undefined` when there is no
 * body at all, and `null` when the body lacks the member. Throws InappropriateJSON.
 */
export function json<T, Given>(name: string, check: Check<T>): Field<T, Given> {
  return {
    names: {},
    read({ json: body }) {
      if (body === undefined) return check(undefined, 'client');
      if (isObject(body)) return check(body[name] ?? null, 'client');
      throw new StorageError('InappropriateJSON', `The body must be an object with ${name}.`);
    },
    accept: (given) => check(given, 'program'),
  };
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Clients in Go send structures without content for what they leave out. */
export const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0);
