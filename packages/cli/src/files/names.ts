import { randomUUID } from 'node:crypto';
import { lstat, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PARTIAL_PREFIX } from '@bucketware/client/node';

/**
 * Notices when two paths of one run lead to the same file, because the file system ignores case or
 * the encoding of letters such as é. Where it does not, no paths are remembered.
 */
export class Names {
  readonly #root: string;
  readonly #paths = new Map<string, readonly string[]>();
  readonly #running = new Map<string, Promise<unknown>>();
  /** `undefined` until it is known. On macOS, even file systems with case ignore the encoding. */
  #ignoresCase: Promise<boolean> | undefined =
    process.platform === 'darwin' ? Promise.resolve(true) : undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** Runs `work`, which writes the file. Rejects if the file is that of an earlier path. */
  async write<T>(path: string, work: () => Promise<T>): Promise<T> {
    // A single file cannot meet another one, so nothing has to be found out for it.
    if (this.#paths.size > 0) this.#ignoresCase ??= ignoresCaseIn(this.#root);
    if (this.#ignoresCase !== undefined && !(await this.#ignoresCase)) return work();
    const name = folded(path);
    const [before, others] = [this.#running.get(name), this.#alike(path)];
    this.#add(path);
    const working = (async () => {
      await before?.catch(() => {}); // Its own task reports the failure.
      const other = await this.#earlier(path, others);
      if (other === undefined) return work();
      const advice = 'Rename one of the two, or copy it to another directory.';
      throw new Error(`Another object has the same name on this file system: ${other}. ${advice}`);
    })();
    this.#running.set(name, working);
    try {
      return await working;
    } finally {
      if (this.#running.get(name) === working) this.#running.delete(name);
    }
  }

  /** Remembers a file that stays as it is. False if it may be that of an earlier path. */
  async keep(path: string): Promise<boolean> {
    const swapped = swapCase(path);
    if (swapped !== path) this.#ignoresCase ??= this.#isSame(path, swapped);
    if (this.#ignoresCase !== undefined && !(await this.#ignoresCase)) return true;
    if (this.#running.has(folded(path)) || (await this.#earlier(path)) !== undefined) return false;
    this.#add(path);
    return true;
  }

  /** Whether a file was written or kept, under this path or another. */
  async has(path: string): Promise<boolean> {
    return (await this.#earlier(path)) !== undefined;
  }

  #add(path: string): void {
    this.#paths.set(folded(path), [...this.#alike(path), path]);
  }

  #alike(path: string): readonly string[] {
    return this.#paths.get(folded(path)) ?? [];
  }

  /** The one of these paths that leads to the same file. */
  async #earlier(path: string, paths = this.#alike(path)): Promise<string | undefined> {
    for (const other of paths) if (await this.#isSame(other, path)) return other;
    return undefined;
  }

  #isSame(a: string, b: string): Promise<boolean> {
    return isSameFile(join(this.#root, a), join(this.#root, b));
  }
}

/** Equal for all paths that any file system takes for the same. Others may be equal, too. */
const folded = (path: string): string => path.toUpperCase().toLowerCase().normalize('NFC');

/** Only of letters for which every file system has the same rule. */
const swapCase = (path: string): string =>
  path.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));

async function ignoresCaseIn(directory: string): Promise<boolean> {
  const name = PARTIAL_PREFIX + randomUUID();
  const path = join(directory, name);
  try {
    await (await open(path, 'wx')).close();
    return await isSameFile(path, join(directory, swapCase(name)));
  } catch {
    return true; // This only takes more memory.
  } finally {
    await rm(path, { force: true }).catch(() => {}); // No command takes it for a file.
  }
}

async function isSameFile(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([inodeOf(a), inodeOf(b)]);
  return one !== undefined && one === other;
}

/** `undefined` if there is no such file, or if what is done with it next will show the problem. */
const inodeOf = (path: string): Promise<string | undefined> =>
  lstat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => undefined,
  );
