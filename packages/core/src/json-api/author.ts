import type { Author } from '../actions/author.js';
import { StorageError } from '../errors.js';
import { isNearMiss } from '../options.js';
import { quoted } from '../quoted.js';

/** No structure of the interface has more than a few fields. Each is compared with those that it has. */
const MAX_FIELDS = 50;

/**
 * The author of a JSON body. The interface ignores members that it does not know, but a misspelled
 * `resource` or `not` would make a grant or a rule say more than its author wants.
 */
export const client: Author = {
  requireMembers(what, given, known) {
    const names = Object.keys(given);
    if (names.length > MAX_FIELDS) {
      const message = `${what} has ${names.length} fields; it may have at most ${MAX_FIELDS}.`;
      throw new StorageError('InappropriateJSON', message);
    }
    for (const name of names) {
      const meant = known.find((candidate) => isNearMiss(name, candidate));
      if (meant === undefined || known.includes(name)) continue;
      const message = `${what} has no field ${quoted(name)}. Did you mean ${meant}?`;
      throw new StorageError('InappropriateJSON', message);
    }
  },
  malformed: (message) => new StorageError('InappropriateJSON', message),
};
