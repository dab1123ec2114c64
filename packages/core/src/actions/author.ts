import { StorageError } from '../errors.js';
import { strangerAmong } from '../options.js';

/** Who wrote down a structure such as a list of grants, and how mistakes in it are answered. */
export interface Author {
  /** Refuses members that a structure does not have. */
  requireMembers(what: string, given: object, known: readonly string[]): void;
  /** A member is missing, or has a value of a wrong type. */
  malformed(message: string): StorageError;
}

/** A program has no newer version of the interface, so all that is unknown is a mistake. */
export const program: Author = {
  requireMembers(what, given, known) {
    const stranger = strangerAmong(given, known);
    if (stranger === undefined) return;
    throw new StorageError('InvalidArgument', `${what} has no field ${stranger}`);
  },
  malformed: (message) => new StorageError('InvalidArgument', message),
};
