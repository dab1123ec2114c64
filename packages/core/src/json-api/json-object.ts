import * as v from 'valibot';
import { isAbsent } from '../actions/parameter.js';
import { isAnObject, members } from '../actions/schema.js';
import { StorageError } from '../errors.js';
import { isNearMiss } from '../options.js';
import { quoted } from '../quoted.js';

/** No structure of the interface has more than a few fields. Each is compared with those that it has. */
const MAX_FIELDS = 50;

/**
 * An object of a JSON body. The interface ignores members that it does not know, but a misspelled
 * `resource` or `not` would make a grant or a rule say more than its author wants.
 */
export const jsonObject = <const E extends v.ObjectEntries>(entries: E) =>
  v.pipe(withoutNearMisses(Object.keys(entries)), members(entries));

export const withoutNearMisses = (known: readonly string[]) => {
  const mistake = (given: object): string | undefined => {
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
  return v.pipe(
    isAnObject,
    v.custom<object>(
      (given) => mistake(given as object) === undefined,
      ({ input }) => mistake(input as object) as string,
    ),
  );
};

/** A member that asks for something which is not offered. Throws NotImplemented. */
export const notOffered = (message: string) =>
  v.optional(
    v.custom<unknown>((value) => {
      if (!isAbsent(value)) throw new StorageError('NotImplemented', message);
      return true;
    }),
  );
