import { createHash, randomBytes } from 'node:crypto';
import { lstat, readdir, rename } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { threadId } from 'node:worker_threads';
import { PARTIAL_PREFIX } from './partial-name.js';

const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const SESSION = randomBytes(8).toString('hex');
const OWN_NAME = new RegExp(
  `^(${PARTIAL_PREFIX.replaceAll('.', '\\.')}\\w{32})-(\\w{8})-(\\d+)-(\\d+)-(\\w{16})-\\d+$`,
);

/** After this time without a write, no call uses a partial file. In milliseconds. */
const MOST_IDLE = 60 * 60 * 1000;

let calls = 0;

/** The name under which one call uses a partial file. It says who the user is. */
export const ownName = (shared: string): string =>
  [shared, HOST, process.pid, threadId, SESSION, ++calls].join('-');

const MOST_KNOWN = 1000;
const recovered = new Map<string, Promise<void>>();

/**
 * Gives the partial files of crashed processes their shared names again. A directory is searched
 * only once, because it may be large: a process that crashes is usually started again.
 */
export function recover(directory: string): Promise<void> {
  const place = resolve(directory);
  const known = recovered.get(place);
  if (known !== undefined) return known;
  if (recovered.size >= MOST_KNOWN) recovered.clear();
  const working = recoverIn(place);
  recovered.set(place, working);
  return working;
}

async function recoverIn(directory: string): Promise<void> {
  // If the directory cannot be read, opening a file in it shows whether that matters.
  for (const name of await readdir(directory).catch(() => [])) {
    const [, shared, ...owner] = OWN_NAME.exec(name) ?? [];
    if (shared === undefined) continue;
    const path = join(directory, name);
    // Another process may be quicker, and another user's file stays where it is.
    if (await isAbandoned(path, owner)) {
      await rename(path, join(directory, shared)).catch(() => {});
    }
  }
}

async function isAbandoned(path: string, [host, pid, thread, session]: string[]): Promise<boolean> {
  if (session === SESSION) return false;
  if (host === HOST) {
    // In a container, each process may have the same id.
    const isHere = Number(pid) === process.pid;
    if (isHere ? Number(thread) === threadId : !isRunning(Number(pid))) return true;
  }
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > MOST_IDLE;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
