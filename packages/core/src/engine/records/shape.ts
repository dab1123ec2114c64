/** Whether a value is valid for its field of a record. */
export type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === 'string';
export const isNumber: Check = (value) => typeof value === 'number';
export const isBoolean: Check = (value) => typeof value === 'boolean';
export const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;
export const isNull = (value: unknown): value is null => value === null;

export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

export const oneOf =
  (...known: readonly string[]): Check =>
  (value) =>
    known.includes(value as string);

/** A loop instead of `every`: these checks run with every read of a record. */
export function listOf<T>(check: Check): (value: unknown) => value is readonly T[] {
  return (value): value is readonly T[] => {
    if (!Array.isArray(value)) return false;
    for (let at = 0; at < value.length; at++) if (!check(value[at])) return false;
    return true;
  };
}

/** The fields of a record before their values are checked. */
export type Unchecked<T> = { readonly [Name in keyof Required<T>]: unknown };

/** An object with these fields. It may have others, which later versions add. */
export function shape<T>(fields: { readonly [Name in keyof Required<T>]: Check }) {
  const names = Object.keys(fields) as (keyof T & string)[];
  const checks = names.map((name) => fields[name]);
  return (value: unknown): value is T => {
    if (typeof value !== 'object' || value === null) return false;
    for (let at = 0; at < names.length; at++) {
      if (!(checks[at] as Check)((value as T)[names[at] as keyof T])) return false;
    }
    return true;
  };
}
