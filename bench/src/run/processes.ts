import { type ChildProcess, execFile, type ForkOptions, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { within } from './rounds.js';

/** The directories that are removed when this process ends. Its children are also ended then. */
const directories = new Set<string>();
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const directory of directories) removeNow(directory);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Creates a directory in `TMPDIR`. */
export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'bucketware-bench-'));
  directories.add(directory);
  return directory;
}

export async function removeDirectory(directory: string): Promise<void> {
  removeNow(directory);
  directories.delete(directory);
}

const removeNow = (directory: string): void =>
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });

export interface Running {
  readonly child: ChildProcess;
  readonly port: number;
}

const START_PATIENCE = 30_000;
const STOP_PATIENCE = 5_000;

/** Starts a program of this benchmark, which sends the port that it listens on. */
export async function startProgram(
  path: string,
  args: readonly string[],
  options: ForkOptions = {},
): Promise<Running> {
  const child = fork(path, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], ...options });
  const failed = track(child);
  const port = once(child, 'message').then(([message]) => message as number);
  return { child, port: await startedBy(child, Promise.race([port, failed])) };
}

/** Starts another program, and waits until its port accepts connections. */
export async function startCommand(
  command: string,
  args: readonly string[],
  port: number,
  env: NodeJS.ProcessEnv = {},
): Promise<Running> {
  const all = { ...process.env, ...env };
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: all });
  const failed = track(child);
  await startedBy(child, Promise.race([untilOpen(port, child), failed]));
  return { child, port };
}

/** Rejects when the process ends, with its error output. */
function track(child: ChildProcess): Promise<never> {
  children.add(child);
  let errors = '';
  child.stderr?.on('data', (text: Buffer) => {
    errors = (errors + text).slice(-2000);
  });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      children.delete(child);
      reject(new Error(`It ended with ${code}: ${errors.trim()}`));
    });
  });
  failed.catch(() => {}); // No longer awaited once the server runs.
  return failed;
}

async function startedBy<T>(child: ChildProcess, ready: Promise<T>): Promise<T> {
  try {
    return await within(START_PATIENCE, ready);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

/** Ends a process gracefully, or by force if that takes too long. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  if (child.connected) child.disconnect();
  else child.kill('SIGTERM');
  await within(STOP_PATIENCE, gone).catch(async () => {
    child.kill('SIGKILL');
    await gone;
  });
}

/** Finds an unused port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function untilOpen(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      const end = (result: boolean) => {
        socket.destroy();
        resolve(result);
      };
      socket.once('connect', () => end(true)).once('error', () => end(false));
    });
    if (open) return;
    await sleep(50);
  }
}

const run = promisify(execFile);

/** Runs a command to its end. Resolves to `undefined` if it is not installed. */
export async function output(command: string, args: readonly string[], timeout = 60_000) {
  try {
    const { stdout, stderr } = await run(command, args, { timeout, maxBuffer: 2 ** 24 });
    return { stdout, stderr };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
