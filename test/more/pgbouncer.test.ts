import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { metadataStoreSuite } from '@bucketware/conformance';
import {
  findProgram,
  freePort,
  missing,
  postgresUser,
  startDaemon,
} from '@bucketware/example-many-hosts/services';
import { postgresMetadata } from '@bucketware/postgres';
import test from 'ava';
import pg from 'pg';
import { type Missing, ownPostgres, type Server } from '../keyv/servers.js';
import { newTable, withServer } from '../postgres/fixtures.js';

/** PgBouncer in transaction mode: each transaction may get a different connection to the server. */
async function pooled(): Promise<Server | Missing> {
  const lacking = await missing('pgbouncer');
  if (lacking !== undefined) return lacking;
  const postgres = await ownPostgres();
  if (typeof postgres === 'string') return postgres;
  const { port: serverPort } = new URL(postgres.url);
  const directory = await mkdtemp(join(tmpdir(), 'bucketware-pgbouncer-'));
  await chmod(directory, 0o755);
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await writeFile(join(directory, 'users.txt'), '"postgres" ""\n');
  const lines = [
    ...['[databases]', `* = host=127.0.0.1 port=${serverPort}`, '[pgbouncer]'],
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir ='],
    ...['auth_type = trust', `auth_file = ${directory}/users.txt`],
    ...['pool_mode = transaction', 'default_pool_size = 3', ''],
  ];
  await writeFile(join(directory, 'pgbouncer.ini'), lines.join('\n'));
  const daemon = await startDaemon({
    program: (await findProgram('pgbouncer')) ?? 'pgbouncer',
    args: [join(directory, 'pgbouncer.ini')],
    // It refuses to run as root.
    ...(await postgresUser()),
    isReady: async () => {
      const client = new pg.Client(url);
      await client.connect();
      await client.end();
      return true;
    },
  });
  return {
    url,
    async stop() {
      await daemon.stop();
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

withServer(await pooled(), ({ url }) => {
  metadataStoreSuite(test, async () => {
    const table = newTable();
    const open = () => postgresMetadata({ url, table, timeout: 60_000 });
    return { store: await open(), reopen: open };
  });
});
