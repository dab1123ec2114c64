import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Kind } from './server.js';

/** The directories are removed however the process ends. */
const directories = new Set<string>();
process.once('exit', () => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Gives `use` a directory on the disk that `TMPDIR` names. */
export async function withDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'bucketware-bench-'));
  directories.add(directory);
  try {
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
    directories.delete(directory);
  }
}

const PROGRAM = fileURLToPath(new URL('server.js', import.meta.url));

/** A server in a process of its own, so that its memory can be told from the client's. */
export class Server {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#process = child;
    this.port = port;
  }

  /** `BENCH_NODE` holds options for the server's Node, such as `--cpu-prof`. */
  static async start(kind: Kind, directory: string): Promise<Server> {
    const execArgv = process.env.BENCH_NODE?.split(' ') ?? [];
    const child = fork(PROGRAM, [kind, directory], { execArgv });
    const gone = once(child, 'exit').then(() => {
      throw new Error(`The server ${kind} did not start.`);
    });
    const [port] = (await Promise.race([once(child, 'message'), gone])) as [number];
    gone.catch(() => {});
    return new Server(child, port);
  }

  /** The most memory that the process ever had, in bytes. Linux only. */
  peakMemory(): number {
    const status = readFileSync(`/proc/${this.#process.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const gone = once(this.#process, 'exit');
    this.#process.disconnect();
    await gone;
  }
}

/** Gives `use` a fresh server with a directory of its own. */
export function withServer<T>(
  kind: Kind,
  use: (server: Server, directory: string) => Promise<T>,
): Promise<T> {
  return withDirectory(async (directory) => {
    const server = await Server.start(kind, directory);
    try {
      return await use(server, directory);
    } finally {
      await server.stop();
    }
  });
}
