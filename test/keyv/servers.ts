import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { QUICK_PLACE } from '../drivers/fixtures.js';

/** A running server of a database, our own or one that was named. */
export interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** One that was started here, and whose data a restart finds again. */
export interface OwnServer extends Server {
  /** `kill -9`. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** Why there is no server: what a skipped test says. */
export type Missing = string;

/** `TEST_REDIS_URL`, which flushes each write, or a server of our own that does. */
export async function redisServer(...extra: string[]): Promise<Server | Missing> {
  const url = process.env.TEST_REDIS_URL;
  if (url && extra.length === 0) return { url, stop: async () => undefined };
  return ownRedis(...extra);
}

export async function ownRedis(...extra: string[]): Promise<OwnServer | Missing> {
  const program = await findProgram('redis-server');
  if (!program) return 'redis-server is not installed (or set TEST_REDIS_URL)';
  const directory = await mkdtemp(join(QUICK_PLACE, 'bucketware-redis-'));
  const port = await freePort();
  const flushed = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
  const settings = ['--bind', '127.0.0.1', ...flushed, ...extra];
  const args = ['--port', String(port), '--dir', directory, ...settings];
  const own = await start(program, args, { directory, serves: () => answersPing(port) });
  return { url: `redis://127.0.0.1:${port}`, ...own };
}

/** `TEST_POSTGRES_URL`, or a server with a database of its own and all writes flushed. */
export async function postgresServer(): Promise<Server | Missing> {
  const url = process.env.TEST_POSTGRES_URL;
  if (url) return { url, stop: async () => undefined };
  return ownPostgres();
}

export async function ownPostgres(): Promise<OwnServer | Missing> {
  const [initdb, program] = await Promise.all([findProgram('initdb'), findProgram('postgres')]);
  if (!initdb || !program) return 'PostgreSQL is not installed (or set TEST_POSTGRES_URL)';
  const user = postgresUser();
  if (!user) return 'PostgreSQL does not run as root, and there is no user postgres';
  const directory = await mkdtemp(join(tmpdir(), 'bucketware-postgres-'));
  await chown(directory, user.uid, user.gid);
  await chmod(directory, 0o700);
  const data = join(directory, 'data');
  const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'];
  execFileSync(initdb, options, { ...user, cwd: directory, stdio: 'ignore' });
  const port = await freePort();
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', directory];
  const isReady = program.replace(/postgres$/, 'pg_isready');
  const asked = ['-h', '127.0.0.1', '-p', String(port)];
  const serves = async () => spawnSync(isReady, asked).status === 0;
  const own = await start(program, args, { directory, serves, user });
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, ...own };
}

/** PostgreSQL refuses to run as root: then it runs as its own user. */
function postgresUser(): { uid: number; gid: number } | undefined {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (uid !== 0) return { uid, gid };
  try {
    const ask = (flag: string): number => Number(execFileSync('id', [flag, 'postgres']));
    return { uid: ask('-u'), gid: ask('-g') };
  } catch {
    return undefined;
  }
}

/** Debian keeps PostgreSQL's programs out of the path. */
async function findProgram(name: string): Promise<string | undefined> {
  const root = '/usr/lib/postgresql';
  const versions = await readdir(root).catch(() => []);
  const places = versions
    .sort()
    .reverse()
    .map((version) => `${root}/${version}/bin`);
  for (const place of [...places, ...(process.env.PATH ?? '').split(':')]) {
    const names = await readdir(place).catch((): string[] => []);
    if (names.includes(name)) return join(place, name);
  }
  return undefined;
}

interface Start {
  readonly directory: string;
  readonly serves: () => Promise<boolean>;
  readonly user?: { readonly uid: number; readonly gid: number };
}

async function start(
  program: string,
  args: string[],
  { directory, serves, user }: Start,
): Promise<Omit<OwnServer, 'url'>> {
  let child: ChildProcess;
  const launch = async (tries: number): Promise<void> => {
    child = spawn(program, args, { ...user, cwd: directory, stdio: 'ignore' });
    while (!(await serves())) {
      if (child.exitCode === null) {
        await sleep(20);
        continue;
      }
      if (tries === 1) throw new Error(`${program} ended with code ${child.exitCode}.`);
      // Processes of a killed server may hold on to what the next one needs, for a moment.
      await sleep(100);
      return launch(tries - 1);
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  // Should the tests end without stopping it, it goes with them.
  const killAtExit = (): boolean => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  await launch(1);
  return {
    kill: () => end('SIGKILL'),
    restart: () => launch(50),
    async stop() {
      process.off('exit', killAtExit);
      await end('SIGINT');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Redis accepts connections before it has read its data. */
function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('error', () => resolve(false)).once('close', () => resolve(false));
    socket.once('data', (answer) => {
      resolve(String(answer).startsWith('+PONG'));
      socket.end();
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
