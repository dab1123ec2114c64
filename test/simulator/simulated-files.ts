import type { DirectoryWatch, FileOperations } from '@bucketware/filesystem';
import type { Disk, Id } from './disk.js';
import { atOnce, type Gate } from './gate.js';

export function failure(code: string, syscall: string): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error(`${code}: ${syscall}`);
  error.code = code;
  error.syscall = syscall;
  return error;
}

/** The system calls of one process on a simulated disk. Each is one step of the gate. */
export class SimulatedFiles implements FileOperations {
  readonly disk: Disk;
  readonly #gate: Gate;
  readonly #open = new Map<number, Id>();
  #lastFile = 2;

  constructor(disk: Disk, gate: Gate = atOnce) {
    this.disk = disk;
    this.#gate = gate;
  }

  open(path: string, flags: string): Promise<number> {
    return this.#gate.step('open', () => {
      let id = this.disk.find(path);
      if (flags === 'wx' && id !== undefined) throw failure('EEXIST', 'open');
      if (id === undefined) {
        if (!flags.startsWith('w')) throw failure('ENOENT', 'open');
        id = this.#create(path, 'open');
      }
      if (flags === 'w') this.disk.truncate(id, 0);
      this.#open.set(++this.#lastFile, id);
      return this.#lastFile;
    });
  }

  close(file: number): Promise<void> {
    return this.#gate.step('close', () => void this.#open.delete(file), { silent: true });
  }

  read(file: number, bytes: Uint8Array, position: number): Promise<number> {
    const read = () => this.disk.inode(this.#id(file)).data.copy(bytes, 0, position);
    return this.#gate.step('read', read, { silent: true });
  }

  write(file: number, bytes: Uint8Array, position: number): Promise<number> {
    // The caller may reuse the memory once the call has returned.
    const copy = Buffer.from(bytes);
    const write = (part: Buffer) => {
      this.disk.write(this.#id(file), position, part);
      return part.length;
    };
    return this.#gate.step('write', () => write(copy), {
      short: (share) => write(copy.subarray(0, Math.ceil(copy.length * share))),
    });
  }

  writeMany(file: number, chunks: readonly Uint8Array[], position: number): Promise<number> {
    return this.write(file, Buffer.concat(chunks), position);
  }

  truncate(file: number, size: number): Promise<void> {
    return this.#gate.step('truncate', () => this.disk.truncate(this.#id(file), size));
  }

  size(file: number): Promise<number> {
    const size = () => this.disk.inode(this.#id(file)).data.length;
    return this.#gate.step('size', size, { silent: true });
  }

  sync(file: number): Promise<void> {
    return this.#gate.step('sync', () => this.disk.sync(this.#id(file)), {
      fail: () => this.disk.failSync(this.#id(file)),
    });
  }

  syncData(file: number): Promise<void> {
    return this.sync(file);
  }

  syncDirectory(path: string): Promise<void> {
    const sync = () => {
      if (this.disk.namesIn(path) === undefined) throw failure('ENOENT', 'open');
      this.disk.syncDirectory(path);
    };
    return this.#gate.step('syncDirectory', sync, {
      fail: () => this.disk.failSyncDirectory(path),
    });
  }

  makeDirectory(path: string): Promise<void> {
    return this.#gate.step('makeDirectory', () => {
      if (this.disk.find(path) !== undefined) throw failure('EEXIST', 'mkdir');
      this.disk.makeDirectory(path);
    });
  }

  readDirectory(path: string): Promise<string[]> {
    const names = () => {
      const found = this.disk.namesIn(path);
      if (found === undefined) throw failure('ENOENT', 'scandir');
      return [...found.keys()];
    };
    return this.#gate.step('readDirectory', names, { silent: true });
  }

  sizeOf(path: string): Promise<number> {
    const size = () => this.disk.inode(this.#find(path, 'stat')).data.length;
    return this.#gate.step('sizeOf', size, { silent: true });
  }

  link(from: string, to: string): Promise<void> {
    return this.#gate.step('link', () => {
      this.#name(to, this.#find(from, 'link'), 'link');
    });
  }

  rename(from: string, to: string): Promise<void> {
    return this.#gate.step('rename', () => {
      const id = this.#find(from, 'rename');
      this.disk.rename(to, id);
      this.disk.rename(from, undefined);
    });
  }

  remove(path: string): Promise<void> {
    return this.#gate.step('remove', () => {
      this.#find(path, 'unlink');
      this.disk.rename(path, undefined);
    });
  }

  /** Nothing replaces a simulated directory. */
  async watch(): Promise<DirectoryWatch> {
    return { isThere: async () => true, close: async () => {} };
  }

  #create(path: string, syscall: string): Id {
    const id = this.disk.create();
    this.#name(path, id, syscall);
    return id;
  }

  #name(path: string, id: Id, syscall: string): void {
    if (this.disk.find(path) !== undefined) throw failure('EEXIST', syscall);
    const directory = path.slice(0, path.lastIndexOf('/'));
    if (this.disk.namesIn(directory) === undefined) throw failure('ENOENT', syscall);
    this.disk.rename(path, id);
  }

  #id(file: number): Id {
    const id = this.#open.get(file);
    if (id === undefined) throw failure('EBADF', 'fd');
    return id;
  }

  #find(path: string, syscall: string): Id {
    const id = this.disk.find(path);
    if (id === undefined) throw failure('ENOENT', syscall);
    return id;
  }
}
