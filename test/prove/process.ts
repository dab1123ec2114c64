import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface ServerProcess {
  readonly origin: string;
  readonly child: ChildProcess;
  /** The failures that it reported to its host. */
  readonly errors: readonly string[];
  /** Kills it, and waits until it has ended. */
  kill(): Promise<void>;
}

const main = fileURLToPath(new URL('./server.js', import.meta.url));

export interface StartOptions {
  readonly durability?: 'full' | 'relaxed';
  /** A command that runs the server, such as strace with its options. */
  readonly under?: readonly string[];
}

export async function startServer(
  directory: string,
  { durability = 'full', under = [] }: StartOptions = {},
): Promise<ServerProcess> {
  const [command = '', ...args] = [...under, process.execPath, main];
  const pool = under.length > 0 ? { UV_THREADPOOL_SIZE: '1' } : {};
  const env = { ...process.env, ...pool, DATA_DIR: directory, DURABILITY: durability };
  // A process group, so that the server ends together with the command that runs it.
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const errors: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const ended = once(child, 'exit');
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-(child.pid as number), 'SIGKILL');
    await ended;
  };
  const origin = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout as NodeJS.ReadableStream).on('line', (line) => {
      const url = /^listening on (\S+)$/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    ended.then(() => reject(new Error(`The server did not start: ${errors.join('')}`)));
  });
  return { origin, child, errors, kill };
}
