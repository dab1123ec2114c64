import { type ErrorCode, StorageError } from '../../errors.js';
import { MAX_KEY_BYTES, MAX_PAGE } from '../../limits.js';

/*
 * Actions declare their parameters with these functions: the allowed values, and the default.
 * Programs pass values directly; a dialect reads them from requests. Both undergo the same checks.
 */

/** One parameter of an action. `Given` is the type of the values that callers may pass. */
export interface Parameter<T, Given> {
  /**
   * `called`: the parameter's name as the caller knows it. Throws InvalidArgument, or `malformed`
   * when a structure lacks a member or a member has the wrong type.
   */
  accept(given: Given, called: string, malformed?: ErrorCode): T;
  /** Whether a program must not pass `undefined`, because that would be a mistake. */
  readonly neverUndefined?: boolean;
}

export type Parameters = Readonly<Record<string, Parameter<unknown, never>>>;
export type InputOf<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T, never> ? T : never;
};
export type GivenOf<P> = P extends Parameter<unknown, infer Given> ? Given : never;
/** The arguments of a program. Those with a default are optional. */
export type ArgumentsOf<P extends Parameters> = {
  readonly [K in keyof P as undefined extends GivenOf<P[K]> ? never : K]: GivenOf<P[K]>;
} & {
  readonly [K in keyof P as undefined extends GivenOf<P[K]> ? K : never]?: GivenOf<P[K]>;
};

/** A parameter that may be absent, with its two stricter forms. */
export interface OptionalParameter<T, Given> extends Parameter<T | undefined, Given | undefined> {
  required(): Parameter<T, Given>;
  or(fallback: T): Parameter<T, Given | undefined>;
}

/** What a value should have been: the end of the sentence "`name` must be ...". */
export class InvalidValue extends Error {
  readonly code: ErrorCode;

  constructor(message: string, code: ErrorCode = 'InvalidArgument') {
    super(message);
    this.code = code;
  }
}

/** A parameter with a check, which throws {@link InvalidValue}. */
export function parameter<T, Given = T>(
  check: (value: unknown, called: string, malformed: ErrorCode) => T,
): OptionalParameter<T, Given> {
  const accept = (
    given: Given | undefined,
    called: string,
    malformed: ErrorCode = 'InvalidArgument',
  ): T | undefined => {
    if (given === undefined) return undefined;
    try {
      return check(given, called, malformed);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      throw new StorageError(error.code, `${called} must be ${error.message}.`);
    }
  };
  return {
    accept,
    required: () => ({
      accept(given, called, malformed) {
        const value = accept(given, called, malformed);
        if (value === undefined) throw new StorageError('InvalidArgument', `${called} is missing.`);
        return value;
      },
    }),
    or: (fallback) => ({
      accept: (given, called, malformed) => accept(given, called, malformed) ?? fallback,
    }),
  };
}

/** The same for a parameter whose absence changes the meaning of the call. */
export const neverUndefined = <P extends Parameter<unknown, never>>(declared: P): P => ({
  ...declared,
  neverUndefined: true,
});

/** Throws InvalidArgument for `undefined` where it would be a mistake. */
export function refuseUndefined(parameters: Parameters, given: object): void {
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined || parameters[name]?.neverUndefined !== true) continue;
    const message = `${name} is undefined. Pass a value, or leave it out.`;
    throw new StorageError('InvalidArgument', message);
  }
}

/**
 * A lone surrogate has no UTF-8 form: drivers would store it differently, or as another character.
 */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed();

const requireText = (value: unknown): string => {
  if (!isText(value)) throw new InvalidValue('a well-formed string');
  return value;
};

export const text = parameter(requireText);

/** Text to compare keys with. No key is longer than 1,024 bytes. */
export const keyText = parameter((value) => {
  const found = requireText(value);
  if (Buffer.byteLength(found) > MAX_KEY_BYTES + 1)
    throw new InvalidValue(`a string of at most ${MAX_KEY_BYTES + 1} bytes`);
  return found;
});

/** At most one character, such as the delimiter of a listing. */
export const character = parameter((value) => {
  const found = requireText(value);
  if (Array.from(found).length > 1) throw new InvalidValue('a single character');
  return found;
});

/** A whole number within bounds. */
export const integer = (min: number, max: number): OptionalParameter<number, number> =>
  parameter((value) => requireInteger(value, min, max));

function requireInteger(value: unknown, min: number, max: number): number {
  if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max) {
    throw new InvalidValue(`a whole number from ${min} to ${max}`);
  }
  return value as number;
}

/** The size of a page. A number above the maximum means the maximum. */
export const pageSize = parameter<number>((value) =>
  Math.min(requireInteger(value, 0, Number.MAX_SAFE_INTEGER), MAX_PAGE),
);

export const oneOf = <const T extends string>(...values: readonly T[]): OptionalParameter<T, T> =>
  parameter((value) => {
    if (!values.includes(value as T)) throw new InvalidValue(`one of ${values.join(', ')}`);
    return value as T;
  });

export const date = parameter((value): Date => {
  if (!(value instanceof Date) || Number.isNaN(+value)) throw new InvalidValue('a valid Date');
  return value;
});

export const flag = parameter((value): boolean => {
  if (typeof value !== 'boolean') throw new InvalidValue('true or false');
  return value;
});

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Clients in Go send nested empty structures for omitted values. */
export const isAbsent = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (isObject(value) && Object.values(value).every((member) => isAbsent(member)));
