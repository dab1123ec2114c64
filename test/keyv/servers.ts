import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A running server of a database, our own or one that was named. */
export interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** Why there is no server: what a skipped test says. */
export type Missing = string;

/** `TEST_REDIS_URL`, or a server that keeps nothing on disk unless `extra` says so. */
export async function redisServer(...extra: string[]): Promise<Server | Missing> {
  const url = process.env.TEST_REDIS_URL;
  if (url && extra.length === 0) return { url, stop: async () => undefined };
  const program = await findProgram('redis-server');
  if (!program) return 'redis-server is not installed (or set TEST_REDIS_URL)';
  const directory = await mkdtemp(join(tmpdir(), 'bucketware-redis-'));
  const port = await freePort();
  const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...extra];
  const args = ['--port', String(port), '--dir', directory, ...settings];
  const stop = await start(program, args, port, directory);
  return { url: `redis://127.0.0.1:${port}`, stop };
}

/** `TEST_POSTGRES_URL`, or a server with a database of its own and all writes flushed. */
export async function postgresServer(): Promise<Server | Missing> {
  const url = process.env.TEST_POSTGRES_URL;
  if (url) return { url, stop: async () => undefined };
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
  const stop = await start(program, args, port, directory, user);
  const isReady = program.replace(/postgres$/, 'pg_isready');
  while (spawnSync(isReady, ['-h', '127.0.0.1', '-p', String(port)]).status !== 0) await sleep(50);
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop };
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

async function start(
  program: string,
  args: string[],
  port: number,
  directory: string,
  user: object = {},
): Promise<() => Promise<void>> {
  const child = spawn(program, args, { ...user, cwd: directory, stdio: 'ignore' });
  const ended = once(child, 'exit');
  // Should the tests end without stopping it, it goes with them.
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with code ${child.exitCode}.`);
    await sleep(20);
  }
  return async () => {
    process.off('exit', kill);
    child.kill('SIGINT');
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.end());
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
