import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Daemon,
  freePort,
  missing,
  postgresUser,
  startDaemon,
  startPostgres,
} from '@bucketware/example-many-hosts/services';
import { QUICK_PLACE } from '../drivers/fixtures.js';

/** A running database server: our own or one that an environment variable names. */
export interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** A server that was started here, and that keeps its data after a restart. */
export interface OwnServer extends Server {
  /** `kill -9`. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** Why there is no server: the reason that a skipped test prints. */
export type Missing = string;

/** The server at `TEST_REDIS_URL`, or our own server. Both flush each write. */
export async function redisServer(...extra: string[]): Promise<Server | Missing> {
  const url = process.env.TEST_REDIS_URL;
  if (url && extra.length === 0) return { url, stop: async () => undefined };
  return ownRedis(...extra);
}

export async function ownRedis(...extra: string[]): Promise<OwnServer | Missing> {
  const lacking = await missing('redis-server');
  if (lacking !== undefined) return `${lacking} (or set TEST_REDIS_URL)`;
  const directory = await mkdtemp(join(QUICK_PLACE, 'bucketware-redis-'));
  const port = await freePort();
  const flushed = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
  const settings = ['--bind', '127.0.0.1', ...flushed, ...extra];
  const daemon = await startDaemon({
    program: 'redis-server',
    args: ['--port', String(port), '--dir', directory, ...settings],
    isReady: () => answersPing(port),
    cwd: directory,
  });
  return ownServer(`redis://127.0.0.1:${port}`, daemon, directory);
}

/**
 * The server at `TEST_POSTGRES_URL`, or our own server with a separate database and flushed writes.
 */
export async function postgresServer(): Promise<Server | Missing> {
  const url = process.env.TEST_POSTGRES_URL;
  if (url) return { url, stop: async () => undefined };
  return ownPostgres();
}

export async function ownPostgres(): Promise<OwnServer | Missing> {
  const lacking = await missing('postgres', 'initdb');
  if (lacking !== undefined) return `${lacking} (or set TEST_POSTGRES_URL)`;
  if ((await postgresUser()) === undefined) {
    return 'PostgreSQL does not run as root, and there is no user postgres';
  }
  const directory = await mkdtemp(join(tmpdir(), 'bucketware-postgres-'));
  const postgres = await startPostgres(directory);
  return ownServer(postgres.url, postgres, directory);
}

const ownServer = (url: string, daemon: Daemon, directory: string): OwnServer => ({
  url,
  kill: () => daemon.kill(),
  restart: () => daemon.restart(),
  async stop() {
    await daemon.stop();
    await rm(directory, { recursive: true, force: true });
  },
});

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
