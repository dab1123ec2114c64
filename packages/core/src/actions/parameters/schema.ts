import * as v from 'valibot';
import { type ErrorCode, StorageError } from '../../errors.js';
import { findUnknownName } from '../../options.js';
import { quoted } from '../../quoted.js';
import { isObject, isText, type OptionalParameter, parameter } from './parameter.js';

/*
 * Schemas of the structures that callers pass. A schema's message follows the name of the wrong
 * value: `rule[2].status` "must be enabled or disabled".
 */

/** A parameter with this schema. */
export const structure = <T, Given = T>(
  schema: v.GenericSchema<unknown, T>,
): OptionalParameter<T, Given> =>
  parameter<T, Given>((value, called, malformed) => conforming(schema, value, called, malformed));

/**
 * The value as parsed by the schema. Throws for the first mistake: `malformed` when a member is
 * missing or has a wrong type, InvalidArgument when its value is not allowed.
 */
export function conforming<T>(
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
  called: string,
  malformed: ErrorCode,
): T {
  const { issues, output } = v.safeParse(schema, value, { abortEarly: true });
  if (issues === undefined) return output as T;
  const [{ kind, message, path = [] }] = issues;
  const place = called + path.map(({ key }) => (isText(key) ? `.${key}` : `[${key}]`)).join('');
  const isMissing = path.at(-1)?.origin === 'key';
  const sentence = isMissing ? `${place} is missing. It ${message}` : `${place} ${message}`;
  // In valibot, a schema checks the type of a value, and a validation checks the value itself.
  const code = kind === 'schema' ? malformed : 'InvalidArgument';
  throw new StorageError(code, /[.?]$/.test(sentence) ? sentence : `${sentence}.`);
}

/** An object for which `complaint` returns nothing, such as one without unknown names. */
export const objectWithout = (complaint: (given: object) => string | undefined) =>
  v.custom<object>(
    (given) => isObject(given) && complaint(given) === undefined,
    ({ input }) => (isObject(input) && complaint(input)) || 'must be an object',
  );

/** These members of an object, without those that are `undefined`. Others are ignored. */
export const members = <const E extends v.ObjectEntries>(entries: E) =>
  v.pipe(
    v.object(entries, ({ path }) => {
      const missing = entries[String(path?.[0]?.key)] as { readonly message?: unknown } | undefined;
      return typeof missing?.message === 'string' ? missing.message : 'must be an object';
    }),
    v.transform(withoutUndefined),
  );

/** An object with these members and no others: to a program, an unknown one is a mistake. */
export const record = <const E extends v.ObjectEntries>(entries: E) => {
  const names = Object.keys(entries);
  const complaint = (given: object) => {
    const found = findUnknownName(given, names);
    return found === undefined ? undefined : `has no field ${found}`;
  };
  return v.pipe(objectWithout(complaint), members(entries));
};

/** Changes `made` itself, which valibot has just created. */
function withoutUndefined<T extends Record<string, unknown>>(made: T): T {
  for (const name in made) if (made[name] === undefined) delete made[name];
  return made;
}

/**
 * A member that may be left out, but must not be `undefined`, which is usually a misspelled name. A
 * grant or a rule without the member could affect more than its author intends.
 */
export const optional = <const S extends v.GenericSchema>(schema: S) =>
  v.exactOptional(defined(schema));

/** Refuses `undefined` before the schema does, with a message that says what to do. */
export const defined = <const S extends v.GenericSchema>(schema: S) =>
  v.pipe(
    v.unknown(),
    v.check((given) => given !== undefined, 'is undefined. Pass a value, or leave it out'),
    schema,
  );

/** A list. Its length is checked before its items are. */
export const list = <T>(
  item: v.GenericSchema<unknown, T>,
  must: string,
  { least = 1, most = Number.POSITIVE_INFINITY } = {},
) =>
  v.pipe(
    v.custom<unknown[]>((given) => Array.isArray(given) && given.length >= least, must),
    v.maxLength(most, ({ input }) => `has ${input.length} items. It may have at most ${most}`),
    v.array(item),
  );

/** Checks each item of a list. The message names the first wrong one. */
export const each = (fits: (item: string) => boolean, must: string) =>
  v.rawCheck<readonly string[]>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const input = dataset.value as string[];
    const key = input.findIndex((item) => !fits(item));
    const value = input[key];
    if (value === undefined) return;
    const place = { type: 'array', origin: 'value', input, key, value } as const;
    addIssue({ message: `${must}, not ${quoted(value)}`, path: [place] });
  });

/**
 * A list of texts. To valibot it is one value: a client may send 100,000 texts, and checking each
 * with valibot takes five times as long.
 */
export const texts = (must: string, fits: (text: string) => boolean = isText) =>
  v.custom<readonly string[]>((given) => Array.isArray(given) && given.every(fits), must);

/** The same with at least one text. */
export const someTexts = (must: string, fits: (text: string) => boolean = isText) =>
  v.custom<readonly string[]>(
    (given) => Array.isArray(given) && given.length > 0 && given.every(fits),
    must,
  );
