import { randomUUID } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/** The thread that holds a lock. */
export interface Holder {
  /** Where its process id is valid. */
  readonly host: string;
  readonly pid: number;
  /** When the process started, because process ids are reused; absent if the system does not say. */
  readonly started?: string | undefined;
  readonly thread: string;
}

const THREAD = randomUUID();

/** This thread. */
export const self = async (): Promise<Holder> => ({
  host: await hostName(),
  pid: process.pid,
  started: await startOf(process.pid),
  thread: THREAD,
});

export const isThisThread = ({ thread }: Holder): boolean => thread === THREAD;

/** Whether the process certainly has ended. */
export async function hasEnded({ host, pid, started }: Holder): Promise<boolean> {
  if (host !== (await hostName())) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
  }
  const now = await startOf(pid);
  return now !== undefined && started !== undefined && now !== started;
}

/**
 * On Linux, the name includes the boot and the namespace of the process ids: containers may have
 * the same host name, and one cannot see the processes of another.
 */
async function hostName(): Promise<string> {
  if (process.platform !== 'linux') return hostname();
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(unreadable);
  const namespace = await readlink('/proc/self/ns/pid').catch(unreadable);
  // Without both, no other process can be recognized.
  return [hostname(), boot?.trim() ?? THREAD, namespace ?? THREAD].join(' ');
}

/** In clock ticks since the boot. */
async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(unreadable);
  // The name of the program, in parentheses, may contain spaces. The start is the 20th field after.
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

/** Some systems lack these files, or hide them. */
const unreadable = (): undefined => undefined;
