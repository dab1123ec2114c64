import * as v from 'valibot';
import { isAbsent } from '../actions/parameters/parameter.js';
import { conforming, members, objectWithout } from '../actions/parameters/schema.js';
import { StorageError } from '../errors.js';
import { isNearMiss } from '../options.js';
import { quoted } from '../quoted.js';

/*
 * Where the JSON of this interface differs from what the actions take. A schema here converts only
 * what is written differently; the action checks what is `passed`.
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

/** An object with these members. Other members are ignored, unless they look like a misspelling. */
export const jsonObject = <const E extends v.ObjectEntries>(entries: E) =>
  v.pipe(objectWithout(nearMiss(Object.keys(entries))), members(entries));

/**
 * No structure of the interface has more than a few fields. Each field is compared with all known
 * names.
 */
const MAX_FIELDS = 50;

/**
 * Words with which interfaces of this kind limit what a grant or a rule is for, in lower case and
 * without hyphens. A plural means the same.
 */
const LIMITS = new Set([
  ...['condition', 'date', 'day', 'deny', 'effect', 'except', 'exclude', 'expire', 'filter'],
  ...['expiration', 'ifmatch', 'ipaddress', 'key', 'not', 'notgrantee', 'notpermission'],
  ...['notprefix', 'notprincipal', 'notresource', 'nottag', 'objectsize', 'path', 'permission'],
  ...['prefix', 'referer', 'resource', 'size', 'sourceip', 'status', 'suffix', 'tag', 'time'],
  ...[
    'dategreaterthan',
    'datelessthan',
    'maxsize',
    'minsize',
    'until',
    'storageclass',
    'versionid',
  ],
]);

const isLimit = (name: string): boolean => {
  const word = name.toLowerCase().replace(/[^a-z]/g, '');
  return LIMITS.has(word) || (word.endsWith('s') && LIMITS.has(word.slice(0, -1)));
};

/**
 * The interface ignores unknown members. But with a misspelled `resource` or `not`, or with a limit that
 * belongs elsewhere, a grant or a rule would cover more than its author intends.
 */
export const nearMiss =
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
      // Clients of several languages send empty structures for what they do not say.
      const value = (given as Readonly<Record<string, unknown>>)[name];
      if (isLimit(name) && value !== '' && !isAbsent(value)) {
        return `has no field ${quoted(name)}. Without it, more would be covered than you mean`;
      }
    }
    return undefined;
  };
