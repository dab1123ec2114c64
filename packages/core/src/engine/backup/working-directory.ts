import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isBlobId } from '../../contracts/blob-ids.js';
import { syncDirectory } from '../../contracts/directories.js';
import type { BackupDirectory, BackupManifest } from './directory.js';
import { MANIFEST, unlessAbsent, withNewFile } from './files.js';
import type { DirectoryLock } from './lock.js';

/**
 * Where a call writes its files until they are complete, and moves what it removes. Each change to
 * the backup is a rename from or to this directory. A call that takes over the lock first moves
 * away the directory of the previous one, which from then on can change nothing, wherever it was
 * paused.
 */
export class WorkingDirectory {
  readonly #directory: BackupDirectory;
  readonly #path: string;

  /** Removes what interrupted calls left unfinished. Their complete blobs stay. */
  static async create(directory: BackupDirectory, lock: DirectoryLock): Promise<WorkingDirectory> {
    const all = directory.file('incoming');
    const work = new WorkingDirectory(directory, join(all, lock.id));
    await mkdir(work.#path, { recursive: true, mode: 0o700 });
    try {
      // From here on, a call that takes over the lock finds the new directory.
      await lock.check();
      const left = (await readdir(all)).filter((name) => name !== lock.id && isBlobId(name));
      for (const name of left) await rename(join(all, name), work.file(name)).catch(unlessAbsent);
      for (const name of left) await rm(work.file(name), { recursive: true, force: true });
      return work;
    } catch (error) {
      await work.remove();
      throw error;
    }
  }

  private constructor(directory: BackupDirectory, path: string) {
    this.#directory = directory;
    this.#path = path;
  }

  /** Creates the files of a new backup, and removes the records of an unfinished one. */
  async begin(manifest: BackupManifest): Promise<void> {
    if (manifest.last === undefined) await this.publishManifest(manifest);
    await mkdir(this.#directory.file('blobs'), { recursive: true, mode: 0o700 });
    await this.#removeOldRecords(manifest);
  }

  file(name: string): string {
    return join(this.#path, name);
  }

  async addBlob(id: string, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    const aside = this.file(id);
    try {
      await withNewFile(aside, (file) => file.writeFile(bytes, { signal }));
      const path = this.#directory.blob(id);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(aside, path);
    } catch (error) {
      await rm(aside, { force: true });
      throw error;
    }
  }

  /** Gives a complete file its name in the backup. Durable when it resolves. */
  async publish(name: string): Promise<void> {
    await rename(this.file(name), this.#directory.file(name));
    await syncDirectory(this.#directory.path);
  }

  /** Replaces the manifest. After a crash, either the old one or the new one is there. */
  async publishManifest(manifest: BackupManifest): Promise<void> {
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    await withNewFile(this.file(MANIFEST), (file) => file.writeFile(text));
    await this.publish(MANIFEST);
  }

  /** Removes what the last backup does not need. */
  async prune(manifest: BackupManifest, isNeeded: (id: string) => boolean): Promise<void> {
    await this.#removeOldRecords(manifest);
    for await (const { id, path } of this.#directory.blobs()) {
      if (!isNeeded(id)) await rename(path, this.file(id));
    }
  }

  async remove(): Promise<void> {
    await rm(this.#path, { recursive: true, force: true });
  }

  /** Removes the records of all other backups. */
  async #removeOldRecords({ last }: BackupManifest): Promise<void> {
    for (const name of await this.#directory.recordsFiles()) {
      if (name !== last?.file) await rename(this.#directory.file(name), this.file(name));
    }
  }
}
