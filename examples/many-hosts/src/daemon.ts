import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server that was started here as a separate process. */
export interface Daemon {
  readonly pid: number;
  isRunning(): boolean;
  /** Asks the server to stop, and waits until it has. */
  stop(): Promise<void>;
  /** `kill -9`. */
  kill(): Promise<void>;
  /** Starts it again with the same arguments. */
  restart(): Promise<void>;
}

export interface DaemonOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
  readonly program: string;
  readonly args: readonly string[];
  /** Whether the server is ready. */
  readonly isReady: () => Promise<boolean>;
  /** Default: SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
}

const READY_WITHIN = 120_000;
const RESTARTS = 50;

/** The servers end with this process, however it ends. */
const running = new Set<() => unknown>();
process.once('exit', () => {
  for (const kill of running) kill();
});

/** Starts a server, and waits until it is ready. It ends with this process. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { program, args, isReady, stopSignal = 'SIGTERM', ...spawning } = options;
  let child: ChildProcess;
  const launch = async (): Promise<void> => {
    const errors: string[] = [];
    child = spawn(program, args, { ...spawning, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr?.on('data', (text: Buffer) => {
      errors.push(String(text));
      if (errors.length > 20) errors.shift();
    });
    const failed = once(child, 'error').then(([error]) => error);
    const until = Date.now() + READY_WITHIN;
    while (!(await isReady().catch(() => false))) {
      const error = await Promise.race([failed, sleep(50)]);
      if (error !== undefined || child.exitCode !== null || Date.now() > until) {
        child.kill('SIGKILL');
        throw new Error(`${program} did not start. ${errors.join('')}`, { cause: error });
      }
    }
  };
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!isRunning()) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const killAtExit = () => child.kill('SIGKILL');
  running.add(killAtExit);
  await launch();
  return {
    get pid() {
      return child.pid ?? 0;
    },
    isRunning,
    kill: () => end('SIGKILL'),
    async restart() {
      for (let tries = 1; ; tries++) {
        try {
          return await launch();
        } catch (error) {
          // For a moment, processes of a killed server may still hold what the next one needs.
          if (tries === RESTARTS) throw error;
          await sleep(100);
        }
      }
    },
    async stop() {
      await end(stopSignal);
      running.delete(killAtExit);
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether a server responds to HTTP at this URL. */
export const answersHttp = (url: string) => async (): Promise<boolean> => {
  await fetch(url);
  return true;
};
