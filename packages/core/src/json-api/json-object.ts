import * as v from 'valibot';
import { isAbsent } from '../actions/parameters/parameter.js';
import { conforming, members, objectWithout } from '../actions/parameters/schema.js';
import { StorageError } from '../errors.js';
import { isNearMiss } from '../options.js';
import { quoted } from '../quoted.js';

/*
 * What the JSON of this interface has of its own. A schema here reads only what is written in another
 * way than the action takes it; what is `passed` is for the action to check.
 */

/** Reads a member of a JSON body by its schema. Throws InappropriateJSON, InvalidArgument. */
export const bySchema =
  <Given>(schema: v.GenericSchema) =>
  (json: unknown, name: string): Given =>
    conforming(schema, json, name, 'InappropriateJSON') as Given;

export const passed = v.optional(v.unknown());

/** What asks for something that is not offered, unless it is empty. Throws NotImplemented. */
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

/** An object with these members. Others are ignored, unless they are misspelled. */
export const jsonObject = <const E extends v.ObjectEntries>(entries: E) =>
  v.pipe(objectWithout(nearMiss(Object.keys(entries))), members(entries));

/** No structure of the interface has more than a few fields. Each is compared with those that it has. */
const MAX_FIELDS = 50;

/**
 * The interface ignores members that it does not know, but a misspelled `resource` or `not` would make
 * a grant or a rule say more than its author wants.
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
    }
    return undefined;
  };
