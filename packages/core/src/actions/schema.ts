import * as v from 'valibot';
import { type ErrorCode, StorageError } from '../errors.js';
import { strangerAmong } from '../options.js';
import { quoted } from '../quoted.js';
import { isObject, isText } from './parameter.js';

/*
 * Schemas of the structures that callers give. The message of a schema goes on from the name of what
 * is wrong: `rule[2].status` "must be enabled or disabled".
 */

/**
 * What a schema makes of a value. Throws for the first mistake: `malformed` when a member is missing
 * or has a wrong type, InvalidArgument when its value is not allowed.
 */
export function conforming<S extends v.GenericSchema>(
  schema: S,
  value: unknown,
  called: string,
  malformed: ErrorCode,
): v.InferOutput<S> {
  const { issues, output } = v.safeParse(schema, value, { abortEarly: true });
  if (issues === undefined) return output as v.InferOutput<S>;
  const [{ kind, message, path = [] }] = issues;
  const place = called + path.map(({ key }) => (isText(key) ? `.${key}` : `[${key}]`)).join('');
  const isMissing = path.at(-1)?.origin === 'key';
  const sentence = isMissing ? `${place} is missing. It ${message}` : `${place} ${message}`;
  // To valibot, a schema says of what type a value is, and a validation which values are allowed.
  const code = kind === 'schema' ? malformed : 'InvalidArgument';
  throw new StorageError(code, /[.?]$/.test(sentence) ? sentence : `${sentence}.`);
}

export const isAnObject = v.custom<object>(isObject, 'must be an object');

/** The members of an object. Others are left out of what is made of it. */
export const members = <const E extends v.ObjectEntries>(entries: E) =>
  v.object(entries, ({ path }) => {
    const missing = entries[String(path?.[0]?.key)] as { readonly message?: unknown } | undefined;
    return typeof missing?.message === 'string' ? missing.message : 'must be given';
  });

/** An object with these members and no others. A member that is `undefined` is left out. */
export const record = <const E extends v.ObjectEntries>(entries: E) => {
  const stranger = (given: object) => strangerAmong(given, Object.keys(entries));
  return v.pipe(
    isAnObject,
    v.custom<object>(
      (given) => stranger(given as object) === undefined,
      ({ input }) => `has no field ${stranger(input as object)}`,
    ),
    members(entries),
    v.transform(withoutUndefined),
  );
};

function withoutUndefined<T extends object>(given: T): T {
  const defined: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined) defined[name] = value;
  return defined as T;
}

/** A list of one or more. Its length is checked before its items are. */
export const list = <const S extends v.GenericSchema>(item: S, must: string, most: number) =>
  v.pipe(
    v.custom<readonly unknown[]>((given) => Array.isArray(given) && given.length > 0, must),
    v.maxLength(most, ({ input }) => `has ${input.length} items. It may have at most ${most}`),
    v.array(item),
  );

/** Checks each item of a list; the first that does not fit is named. */
export const each = <T extends string>(fits: (item: T) => boolean, must: string) =>
  v.rawCheck<readonly T[]>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const input = dataset.value as T[];
    const key = input.findIndex((item) => !fits(item));
    const value = input[key];
    if (value === undefined) return;
    const place = { type: 'array', origin: 'value', input, key, value } as const;
    addIssue({ message: `${must}, not ${quoted(value)}`, path: [place] });
  });

export const wellFormed = (must: string) => v.custom<string>(isText, must);

/** A list of texts, checked as a whole: there may be 100,000, each of which would be a value to valibot. */
export const texts = (must: string) =>
  v.custom<readonly string[]>((given) => Array.isArray(given) && given.every(isText), must);
