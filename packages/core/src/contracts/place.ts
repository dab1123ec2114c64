import { statSync } from 'node:fs';

/**
 * The file that a driver keeps open at a path. Notices when the file is removed, renamed or
 * replaced, or when something is mounted over it: what is written to it would be missing after a
 * restart.
 */
export class Place {
  readonly #path: string;
  readonly #first: string | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#first = numberOf(path);
  }

  /** Throws {@link placeLost} if another file is at the path by now, or none. */
  require(): void {
    if (numberOf(this.#path) !== this.#first) throw placeLost(this.#path);
  }
}

/** The device and the number of a file. No other file has both as long as it is open. */
function numberOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** The code of {@link placeLost}. */
export const PLACE_LOST = 'EROFS';

/** The error of all changes when a driver's files are no longer at their path. */
export const placeLost = (path: string): Error =>
  Object.assign(
    new Error(
      `${path} was removed, renamed or replaced while the storage was using it, or something was ` +
        'mounted over it. Put it back, and restart the app.',
    ),
    { code: PLACE_LOST },
  );
