import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isBlobId } from '../../contracts/blob-ids.js';
import { makeDirectory, syncDirectory } from '../../contracts/directories.js';
import { MANIFEST, readIfThere, sizeIfThere, statIfThere, unlessAbsent } from './files.js';
import { isRemnant } from './remnants.js';

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

/** Exists where the filesystem driver keeps the blobs of a storage. */
const STORAGE_MARK = 'storage.json';
const RECORDS = /^records-[0-9a-f]{32}$/;
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

  /**
   * Creates the directory, or uses that of earlier backups of this storage. Resolves to their
   * manifest.
   */
  async prepare(storage: string): Promise<BackupManifest | undefined> {
    const known = await this.readManifest();
    if (known !== undefined && known.storage !== storage) {
      throw new Error(
        `${this.path} contains backups of the storage ${known.storage}, not of ${storage}. Choose another directory.`,
      );
    }
    // Their blobs have the same names, and the backup would remove those that it does not know.
    if ((await statIfThere(this.file(join('blobs', STORAGE_MARK)))) !== undefined) {
      throw new Error(`${this.path} contains the data of a storage. Choose another directory.`);
    }
    if (known === undefined) await this.#requireEmpty();
    else await this.#requireNoLinks();
    await makeDirectory(this.path);
    return known;
  }

  async #requireEmpty(): Promise<void> {
    for (const name of (await readdir(this.path).catch(unlessAbsent)) ?? []) {
      if (await isRemnant(this.path, name)) continue;
      throw new Error(`${this.path} is not empty: it contains ${name}. Choose an empty directory.`);
    }
  }

  /** The backup moves and removes files in these directories, so a link must not lead elsewhere. */
  async #requireNoLinks(): Promise<void> {
    const blobs = (await readdir(this.file('blobs')).catch(unlessAbsent)) ?? [];
    const shards = blobs.filter((name) => SHARD.test(name)).map((name) => join('blobs', name));
    for (const name of ['incoming', 'blobs', ...shards]) {
      const path = this.file(name);
      if ((await lstat(path).catch(unlessAbsent))?.isDirectory() !== false) continue;
      throw new Error(`${path} is not a directory, so it is not part of a backup. Remove it.`);
    }
  }

  /** How many bytes of a blob the backup has; `undefined` if it does not have the blob. */
  sizeOf(id: string): Promise<number | undefined> {
    return sizeIfThere(this.blob(id));
  }

  /** Makes the names of all blobs durable. */
  async syncBlobs(): Promise<void> {
    for (const shard of await this.#shards()) await syncDirectory(shard);
    for (const path of [this.file('blobs'), this.path]) await syncDirectory(path);
  }

  /** All blobs, also those that the last backup does not need. */
  async *blobs(): AsyncGenerator<{ readonly id: string; readonly path: string }> {
    for (const shard of await this.#shards()) {
      for (const id of await readdir(shard)) if (isBlobId(id)) yield { id, path: join(shard, id) };
    }
  }

  /** The names of the records of all backups. */
  async recordsFiles(): Promise<string[]> {
    return (await readdir(this.path)).filter((name) => RECORDS.test(name));
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
    const { last } = manifest ?? {};
    const isWhole = last === undefined || RECORDS.test(last?.file ?? '');
    return isOurs && isWhole ? (manifest as BackupManifest) : undefined;
  } catch {
    return undefined;
  }
}
