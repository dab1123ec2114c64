import * as v from 'valibot';
import { isAbsent } from '../actions/parameters/parameter.js';
import { conforming, members, objectWithout } from '../actions/parameters/schema.js';
import { StorageError } from '../errors.js';
import { isNearMiss } from '../options.js';
import { quoted } from '../quoted.js';
import { MAX_DEPTH } from './json-structure.js';

/*
 * Schemas for JSON that differs from the parameters of the actions. A schema here converts only the
 * differences; the action checks whatever is `passed`.
 */

/** Reads a member of a JSON body by its schema. Throws InappropriateJSON, InvalidArgument. */
export const bySchema =
  <Given>(schema: v.GenericSchema) =>
  (json: unknown, name: string): Given =>
    conforming(schema, json, name, 'InappropriateJSON') as Given;

export const passed = v.optional(v.unknown());

/** A member of a feature that is not supported. Throws NotImplemented unless it is empty. */
export const notOffered = (message: string) =>
  v.optional(
    v.pipe(
      v.unknown(),
      v.transform((value) => {
        if (isAbsent(value)) return undefined;
        throw new StorageError('NotImplemented', message);
      }),
    ),
  );

/** A member that may be ignored. */
export const ignored = v.optional(
  v.pipe(
    v.unknown(),
    v.transform(() => undefined),
  ),
);

/** An object of a grant or a rule, with these members. Unknown members must be empty. */
export const strictObject = <const E extends v.ObjectEntries>(entries: E) =>
  v.pipe(objectWithout(unknownField(Object.keys(entries))), members(entries));

/**
 * Each field is compared with all known names. No structure of the interface has more than a few
 * fields.
 */
const MAX_FIELDS = 50;

/**
 * Clients in several languages send empty structures for omitted values. `false` and `0` are not
 * empty: `"enabled": false`. Bodies parsed by the app may be nested deeper than our own limit.
 */
export const isEmpty = (value: unknown, depth = 0): boolean =>
  typeof value === 'object' && value !== null
    ? depth < MAX_DEPTH && Object.values(value).every((member) => isEmpty(member, depth + 1))
    : value === '' || isAbsent(value);

/**
 * The interface ignores unknown members. But a member may limit a grant or a rule, suspend it, or
 * be a misspelled `resource` or `not`. Ignoring such a member would share or delete more than its
 * author intends, and no list of such names would be complete.
 */
export const unknownField =
  (known: readonly string[]) =>
  (given: object): string | undefined => {
    const names = Object.keys(given);
    if (names.length > MAX_FIELDS) {
      return `has ${names.length} fields. It may have at most ${MAX_FIELDS}`;
    }
    for (const name of names) {
      if (known.includes(name)) continue;
      const meant = known.find((candidate) => isNearMiss(name, candidate));
      if (meant !== undefined) return `has no field ${quoted(name)}. Did you mean ${meant}?`;
      if (!isEmpty((given as Readonly<Record<string, unknown>>)[name])) {
        return `has no field ${quoted(name)}. Ignoring it could affect more than you intend`;
      }
    }
    return undefined;
  };
