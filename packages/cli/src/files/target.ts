import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isPartialName } from '@bucketware/client/node';
import { makeDurable } from './durable.js';
import { Names } from './names.js';
import type { IsOwn } from './own-files.js';

const isWindows = process.platform === 'win32';
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;
const ODD_ON_WINDOWS = '<>:"\\|?*';

/** Why a path from a key cannot be a file below a directory; `undefined` if it can. */
export function problemOfPath(path: string): string | undefined {
  if (path.includes('\0')) return 'it contains NUL';
  for (const segment of path.split('/')) {
    if (segment === '') return 'it has an empty name between slashes';
    if (segment === '.' || segment === '..')
      return `it contains ${segment}, which could lead out of the directory`;
    if (isPartialName(segment)) return `the name ${segment} is reserved for incomplete downloads`;
    const isOdd =
      [...segment].some((one) => ODD_ON_WINDOWS.includes(one)) || /^[. ]/.test(segment.slice(-1));
    if (isWindows && (RESERVED.test(segment) || isOdd)) {
      return `Windows does not allow the name ${segment}`;
    }
  }
  return undefined;
}

/** Creates the directories for files below one directory. Never follows a link out of it. */
export class TargetDirectory {
  readonly #root: string;
  readonly #made = new Map<string, Promise<void>>();
  readonly #durable = new Map<string, Promise<void>>();
  /** The uppermost directory that had to be created for the root. */
  #first: string | undefined;

  readonly #isOwn: IsOwn;
  /** What is written and kept here. */
  readonly names: Names;

  constructor(root: string, isOwn: IsOwn) {
    this.#root = root;
    this.#isOwn = isOwn;
    this.names = new Names(root);
  }

  /** Runs `work` with the file for a path without a problem. Creates its directory. */
  async write<T>(path: string, work: (file: string) => Promise<T>): Promise<T> {
    await this.#make(dirname(path));
    const file = this.#foreign(join(this.#root, path));
    return this.names.write(path, () => work(file));
  }

  #foreign(path: string): string {
    if (!this.#isOwn(path)) return path;
    throw new Error(`${path} belongs to the storage itself. Nothing was written there.`);
  }

  /** Makes a file durable, with its name and those of its directories. */
  async makeDurable(path: string): Promise<void> {
    await makeDurable(join(this.#root, path));
    await makeDurable(join(this.#root, dirname(path)));
    await this.#makeNameDurable(dirname(path));
  }

  /** The name of a directory is in the one above it. */
  #makeNameDurable(below: string): Promise<void> {
    return once(this.#durable, below, async () => {
      if (below !== '.') {
        await makeDurable(join(this.#root, dirname(below)));
        return this.#makeNameDurable(dirname(below));
      }
      for (let at = resolve(this.#root); this.#first !== undefined; at = dirname(at)) {
        await makeDurable(dirname(at));
        if (at === this.#first) return;
      }
    });
  }

  #make(below: string): Promise<void> {
    return once(this.#made, below, async () => {
      if (below === '.') {
        this.#first = await mkdir(resolve(this.#root), { recursive: true });
        return;
      }
      await this.#make(dirname(below));
      const directory = this.#foreign(join(this.#root, below));
      await mkdir(directory).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        const found = await lstat(directory);
        if (found.isDirectory()) return;
        const what = found.isSymbolicLink() ? 'a symbolic link' : 'a file';
        const advice = 'but a folder in the source. Remove it first.';
        throw new Error(`${directory} is ${what} here, ${advice}`);
      });
    });
  }
}

/** Works once for each path, however often it is asked. A failure is kept, too. */
function once(
  known: Map<string, Promise<void>>,
  path: string,
  work: () => Promise<void>,
): Promise<void> {
  const earlier = known.get(path);
  if (earlier !== undefined) return earlier;
  const working = work();
  known.set(path, working);
  return working;
}
