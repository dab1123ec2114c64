import { StorageError } from '../errors.js';
import { isNearMiss, strangerAmong } from '../options.js';
import { quoted } from './quoted.js';

/** Who wrote a value down: a client as JSON, or a program. */
export type Author = 'client' | 'program';
export type Check<T> = (value: unknown, author: Author) => T;

/**
 * Refuses members that were meant to be others. The interface ignores what it does not know, but a
 * misspelled `resource` or `not` would make a grant or a rule say more than its author wants. A
 * program has no newer version of the interface, so all that is unknown is a mistake there.
 *
 * Throws InappropriateJSON for a client, InvalidArgument for a program.
 */
export function requireMembers(
  what: string,
  given: object,
  known: readonly string[],
  author: Author,
): void {
  if (author === 'program') {
    const stranger = strangerAmong(given, known);
    if (stranger === undefined) return;
    throw new StorageError('InvalidArgument', `${what} has no field ${stranger}`);
  }
  for (const name of Object.keys(given)) {
    const meant = known.find((candidate) => isNearMiss(name, candidate));
    if (meant === undefined || known.includes(name)) continue;
    const message = `${what} has no field ${quoted(name)}. Did you mean ${meant}?`;
    throw new StorageError('InappropriateJSON', message);
  }
}

/** Throws InvalidArgument when a grant or rule is about another bucket: it would have no effect. */
export function requireOwnResources(paths: readonly string[], bucket: string): void {
  const foreign = paths.find((path) => !path.startsWith(`${bucket}/`));
  if (foreign === undefined) return;
  const message = `The resource ${quoted(foreign)} must begin with ${bucket}/.`;
  throw new StorageError('InvalidArgument', message);
}
