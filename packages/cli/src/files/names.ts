import { lstat, mkdir, readdir, rmdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Notices when two paths of one run lead to the same file, because a file system ignores case or the
 * encoding of letters such as é, or stores a file under another name, as Samba does with `con`. Takes
 * about 300 bytes of memory for each path.
 */
export class Names {
  readonly #root: string;
  /** By folded path: the path, or all of them if there are several. */
  readonly #paths = new Map<string, string | readonly string[]>();
  /** By inode: the path of a file that was written. */
  readonly #written = new Map<string, string>();
  /** The inodes of files that were replaced. A network file system may still show them. */
  readonly #replaced = new Set<string>();
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Runs `work`, which writes the file. Rejects if the file is that of an earlier path. */
  async write<T>(path: string, work: () => Promise<T>): Promise<T> {
    const name = folded(path);
    const [before, others] = [this.#running.get(name), this.#alike(name)];
    this.#add(name, path);
    const working = (async () => {
      await before?.catch(() => {}); // Its own task reports the failure.
      if (others.length > 0) await lookUp(join(this.#root, path));
      const old = await inodeOf(join(this.#root, path));
      const other = (await this.#sameAs(path, others)) ?? (await this.#writtenAs(old));
      if (other === undefined) {
        const result = await work();
        if (old?.links === 1n) this.#replaced.add(old.inode);
        await this.#remember(path);
        return result;
      }
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
    const name = folded(path);
    if (this.#running.has(name)) return false;
    if ((await this.#sameAs(path, this.#alike(name))) !== undefined) return false;
    if (this.#written.size > 0) {
      const found = await inodeOf(join(this.#root, path));
      if ((await this.#writtenAs(found)) !== undefined) return false;
    }
    this.#add(name, path);
    return true;
  }

  /** Whether a file was written or kept, under this path or another. */
  async has(path: string): Promise<boolean> {
    const found = await inodeOf(join(this.#root, path));
    if (found !== undefined && this.#replaced.has(found.inode)) return true;
    const alike = this.#alike(folded(path));
    return ((await this.#sameAs(path, alike)) ?? (await this.#writtenAs(found))) !== undefined;
  }

  #add(name: string, path: string): void {
    const others = this.#alike(name);
    this.#paths.set(name, others.length === 0 ? path : [...others, path]);
  }

  #alike(name: string): readonly string[] {
    return [this.#paths.get(name) ?? []].flat();
  }

  async #remember(path: string): Promise<void> {
    const found = await inodeOf(join(this.#root, path));
    // Files with several names may be equal for good reason.
    if (found?.links === 1n) this.#written.set(found.inode, path);
  }

  /** The one of these paths that leads to the same file. */
  async #sameAs(path: string, others: readonly string[]): Promise<string | undefined> {
    for (const other of others) if (await isSameFile(this.#root, other, path)) return other;
    return undefined;
  }

  /** The path under which this file was written. */
  async #writtenAs(found: Found | undefined): Promise<string | undefined> {
    const path = found && this.#written.get(found.inode);
    if (path === undefined) return undefined;
    // That file may be gone, and its inode used again.
    return (await inodeOf(join(this.#root, path)))?.inode === found?.inode ? path : undefined;
  }
}

/**
 * Equal for all paths that a file system takes for the same, short names of FAT excepted. Others may
 * be equal, too. FAT ignores dots at the end of a name; ext4 and HFS+ ignore invisible characters.
 */
const folded = (path: string): string =>
  path.replace(IGNORED, '').normalize('NFKD').toLowerCase().toUpperCase().normalize('NFKD');

const IGNORED = /[. ]|\p{Default_Ignorable_Code_Point}/gu;

/** The types of ext4, XFS, Btrfs and tmpfs. */
const LOCAL = [0xef53, 0x58465342, 0x9123683e, 0x01021994];

/**
 * On network file systems such as CIFS, the system remembers for a while that there is no file of a
 * name. When it creates one, it asks the server. It is a directory, because removing one never
 * removes a file that another program has put there meanwhile.
 */
async function lookUp(path: string): Promise<void> {
  if ((await inodeOf(path)) !== undefined) return;
  if (LOCAL.includes((await statfs(dirname(path))).type)) return;
  const isMade = await mkdir(path).then(
    () => true,
    () => false,
  );
  if (isMade) await rmdir(path);
}

/** On file systems such as sshfs, each path has an inode of its own, even if the file is the same. */
async function isSameFile(root: string, a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([inodeOf(join(root, a)), inodeOf(join(root, b))]);
  if (one === undefined || other === undefined) return false;
  return a === b || one.inode === other.inode || !(await areListed(root, a, b));
}

/** Whether two paths lead to different names of a directory. */
async function areListed(root: string, a: string, b: string): Promise<boolean> {
  const [names, others] = [a.split('/'), b.split('/')];
  const at = names.findIndex((name, index) => name !== others[index]);
  const found = await readdir(join(root, ...names.slice(0, at)));
  return [names[at], others[at]].every((name) => name !== undefined && found.includes(name));
}

interface Found {
  readonly inode: string;
  readonly links: bigint;
}

/** `undefined` if there is no such file, or if what is done with it next will show the problem. */
const inodeOf = (path: string): Promise<Found | undefined> =>
  lstat(path, { bigint: true }).then(
    ({ dev, ino, nlink }) => ({ inode: `${dev}:${ino}`, links: nlink }),
    () => undefined,
  );
