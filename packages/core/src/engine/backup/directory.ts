import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory, syncDirectory } from '../../contracts/directories.js';
import { readIfThere, replaceFile, sizeIfThere, withNewFile } from './files.js';

/** The content of `backup.json`. */
export interface BackupManifest {
  readonly format: 1;
  /** The identity of the storage. */
  readonly storage: string;
  /** Absent until the first backup is complete. */
  readonly last?: LastBackup;
}

export interface LastBackup {
  /** When the records were read, in ISO 8601. */
  readonly taken: string;
  /** The name of the records file. */
  readonly file: string;
  readonly records: number;
  readonly blobs: number;
  readonly bytes: number;
}

const MANIFEST = 'backup.json';
/** `lost+found` exists on a new file system. */
const OURS = /^(lost\+found|backup\.json(\.new)?|lock.*|blobs|incoming|records-[0-9a-f]{32})$/;
const SHARD = /^[0-9a-f]{2}$/;

/**
 * The directory of a backup. A file gets its name when it is complete and durable, and never
 * changes afterwards. `backup.json` is replaced last, so until then the previous backup is intact.
 */
export class BackupDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  blob(id: string): string {
    return join(this.path, 'blobs', id.slice(0, 2), id);
  }

  async readManifest(): Promise<BackupManifest | undefined> {
    const text = await readIfThere(this.file(MANIFEST));
    if (text === undefined) return undefined;
    const manifest = parse(text);
    if (manifest !== undefined) return manifest;
    throw new Error(`${this.file(MANIFEST)} is damaged, or was written by another version.`);
  }

  async writeManifest(manifest: BackupManifest): Promise<void> {
    await replaceFile(this.file(MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  }

  /** Creates the directory, or uses that of earlier backups of this storage. */
  async prepare(storage: string): Promise<BackupManifest> {
    await makeDirectory(this.path);
    const known = await this.readManifest();
    if (known !== undefined && known.storage !== storage) {
      throw new Error(
        `${this.path} contains backups of the storage ${known.storage}, not of ${storage}. Choose another directory.`,
      );
    }
    const strange = (await readdir(this.path)).find((name) => !OURS.test(name));
    if (known === undefined && strange !== undefined) {
      throw new Error(
        `${this.path} is not empty: it contains ${strange}. Choose an empty directory.`,
      );
    }
    return known ?? { format: 1, storage };
  }

  /** Removes what an interrupted call left unfinished. Its complete blobs stay. */
  async clear({ last }: BackupManifest): Promise<void> {
    await rm(this.file('incoming'), { recursive: true, force: true });
    const isOld = (name: string) => name.startsWith('records-') && name !== last?.file;
    for (const name of (await readdir(this.path)).filter(isOld)) await rm(this.file(name));
    for (const name of ['incoming', 'blobs']) {
      await mkdir(this.file(name), { recursive: true, mode: 0o700 });
    }
  }

  /** How many bytes of a blob the backup has; `undefined` if it does not have the blob. */
  sizeOf(id: string): Promise<number | undefined> {
    return sizeIfThere(this.blob(id));
  }

  async addBlob(id: string, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    const aside = this.file(join('incoming', id));
    try {
      await withNewFile(aside, (file) => file.writeFile(bytes, { signal }));
      await mkdir(join(this.path, 'blobs', id.slice(0, 2)), { recursive: true, mode: 0o700 });
      await rename(aside, this.blob(id));
    } catch (error) {
      await rm(aside, { force: true });
      throw error;
    }
  }

  /** Makes the names of all files durable. */
  async sync(): Promise<void> {
    for (const shard of await this.#shards()) await syncDirectory(shard);
    for (const path of [this.file('blobs'), this.path]) await syncDirectory(path);
  }

  /** Removes what the last backup does not need. */
  async prune(manifest: BackupManifest, isNeeded: (id: string) => boolean): Promise<void> {
    await this.clear(manifest);
    for (const shard of await this.#shards()) {
      for (const id of await readdir(shard)) if (!isNeeded(id)) await rm(join(shard, id));
    }
  }

  /** The directories of blobs. Anything else in their place is not ours, and keeps its files. */
  async #shards(): Promise<string[]> {
    const found = await readdir(this.file('blobs'), { withFileTypes: true });
    return found
      .filter((entry) => entry.isDirectory() && SHARD.test(entry.name))
      .map(({ name }) => join(this.path, 'blobs', name));
  }
}

function parse(text: string): BackupManifest | undefined {
  try {
    const manifest = JSON.parse(text) as Partial<BackupManifest> | null;
    const isOurs = manifest?.format === 1 && typeof manifest.storage === 'string';
    return isOurs ? (manifest as BackupManifest) : undefined;
  } catch {
    return undefined;
  }
}
