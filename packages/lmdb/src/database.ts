import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lchown, link, open as openFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory, syncDirectory } from '@bucketware/core/contracts';
import { open, type RootDatabase } from 'lmdb';
import { GATE, Gate, LISTS, openList } from './gate.js';

export type Database = RootDatabase<Buffer, Buffer>;

export interface DatabaseOptions {
  readonly directory: string;
  readonly durability: 'full' | 'relaxed';
  readonly readOnly?: boolean;
}

/**
 * Address space for a growing database, which takes no memory by itself. Without it, lmdb-js maps
 * the file again each time it has grown, and older mappings keep their pages. It is not reserved on
 * Windows, which would make the file this large, nor on 32-bit systems, which do not have as much.
 */
const MAP =
  process.platform !== 'win32' && ['x64', 'arm64'].includes(process.arch)
    ? { mapSize: 16 * 1024 ** 3 }
    : {};

export const FILE = 'data.mdb';
/** These bytes are near the start of every database, in the byte order of the machine. */
const MAGIC = Buffer.from(Uint32Array.of(0xbeefc0de).buffer);
const HEAD_BYTES = 64;
/** The room that creation needs: more than an empty database takes. */
const ROOM_BYTES = 256 * 1024;

export const openDatabase = ({ directory, durability, readOnly }: DatabaseOptions): Database =>
  open<Buffer, Buffer>({
    path: directory,
    // Otherwise a directory with a dot in its name would become a file.
    noSubdir: false,
    keyEncoding: 'binary',
    encoding: 'binary',
    useVersions: true,
    maxDbs: 1,
    ...MAP,
    // Each transaction syncs its pages, and then its root through a descriptor with O_DSYNC.
    overlappingSync: false,
    // lmdb-js would create its own promise for each batch, whose rejection could not be handled.
    eventTurnBatching: false,
    noSync: durability === 'relaxed',
    // The types lack these options. Only the owner may access the file. A transaction begins once
    // all of its changes are queued: if the thread were terminated before that, the transaction
    // would stay open forever.
    ...{ permissionsMode: 0o600, batchStartThreshold: Number.POSITIVE_INFINITY },
    readOnly: readOnly ?? false,
  });

/**
 * Creates a database if there is none. An incomplete file, or a full disk during creation, would
 * crash the process: lmdb-js frees memory twice when it cannot open a file. So the database is
 * created under a temporary name, if there is room, and renamed when it is complete.
 */
export async function makeDatabase(options: DatabaseOptions): Promise<void> {
  await makeDirectory(options.directory);
  if (!(await holdsDatabase(options.directory))) await makeAside(options);
}

/** Opens the gate of a database, and creates it if there is none. */
export async function makeGate(directory: string): Promise<Gate> {
  const path = join(directory, GATE);
  if (!existsSync(path)) {
    await withAside(directory, async (aside) => {
      for (const list of LISTS) await makeList(join(aside, list));
      if (process.getuid?.() === 0) await giveTo(aside, join(directory, FILE));
      await rename(aside, path).catch((error: unknown) => {
        if (!existsSync(path)) throw error; // Otherwise another process has just created it.
      });
    });
  }
  // lmdb-js would end the process if it opened a damaged file.
  const advice = ` Stop all processes that have the storage open, and remove ${path}.`;
  for (const list of LISTS) await holdsDatabase(join(path, list), advice);
  return new Gate(directory);
}

/** If root runs a command on a storage, its app must still be able to open it. */
async function giveTo(path: string, ownersFile: string): Promise<void> {
  const { uid, gid } = await stat(ownersFile);
  const names = await readdir(path, { recursive: true });
  // Never the target of a link, which the owner of the directory could put there.
  for (const name of ['', ...names]) await lchown(join(path, name), uid, gid);
}

async function makeList(path: string): Promise<void> {
  await makeDirectory(path);
  await openList(path).close();
  const file = await openFile(join(path, FILE), 'r+');
  await file.sync().finally(() => file.close());
  await syncDirectory(path);
}

/** Opens a database read-only after a disk failure. */
export async function openReadOnly(options: DatabaseOptions, gate: Gate): Promise<Database> {
  const { directory } = options;
  if (!(await holdsDatabase(directory)))
    throw new Error(`${join(directory, FILE)} no longer exists.`);
  return gate.pass(() => openDatabase({ ...options, readOnly: true }));
}

/** Whether there is a database. Throws when there is a file that is not one. */
async function holdsDatabase(directory: string, advice = ''): Promise<boolean> {
  const path = join(directory, FILE);
  const head = await readHead(path);
  if (head.length === 0) return false;
  if (!head.includes(MAGIC))
    throw new Error(`${path} is damaged: it is not an LMDB database.${advice}`);
  return true;
}

const makeAside = (options: DatabaseOptions): Promise<void> =>
  withAside(options.directory, async (aside) => {
    await openDatabase({ ...options, directory: aside }).close();
    await link(join(aside, FILE), join(options.directory, FILE)).catch(ignoreRefusal);
  });

/** Calls `make` with a temporary directory in which there is room for a new database. */
async function withAside(directory: string, make: (aside: string) => Promise<void>): Promise<void> {
  const aside = join(directory, `${randomUUID()}.new`);
  try {
    await makeDirectory(aside);
    await requireRoom(join(aside, 'room'));
    await make(aside);
    await syncDirectory(directory);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

async function readHead(path: string): Promise<Buffer> {
  const file = await openFile(path, 'r').catch(ignoreAbsent);
  if (file === undefined) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function requireRoom(path: string): Promise<void> {
  const file = await openFile(path, 'wx');
  try {
    await file.writeFile(Buffer.alloc(ROOM_BYTES));
    await file.sync();
  } finally {
    await file.close();
  }
  await rm(path);
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

const NO_LINKS = ['EMLINK', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Ignores that another process has just created the database. On a disk without links, LMDB creates
 * it in place.
 */
function ignoreRefusal(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && !NO_LINKS.includes(error.code ?? '')) throw error;
}
