import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Daemon, freePort, startDaemon } from './daemon.js';
import { findProgram, run } from './programs.js';

export interface Postgres extends Daemon {
  readonly url: string;
  readonly port: number;
}

/** A PostgreSQL server with its own database in a new directory, only for this machine. */
export async function startPostgres(directory: string): Promise<Postgres> {
  const user = await postgresUser();
  if (user === undefined) throw new Error('PostgreSQL needs a user postgres to run as.');
  await mkdir(directory, { recursive: true });
  await chown(directory, user.uid, user.gid);
  await chmod(directory, 0o700);
  const data = join(directory, 'data');
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'];
  await run('initdb', ['-D', data, ...options], { ...user, cwd: directory });
  const port = await freePort();
  const where = ['-h', '127.0.0.1', '-p', String(port)];
  const daemon = await startDaemon({
    program: (await findProgram('postgres')) ?? 'postgres',
    args: ['-D', data, ...where, '-k', directory],
    ...{ ...user, cwd: directory },
    isReady: () => run('pg_isready', where).then(() => true),
    stopSignal: 'SIGINT',
  });
  return Object.assign(daemon, { url: `postgres://postgres@127.0.0.1:${port}/postgres`, port });
}

/** PostgreSQL refuses to run as root, and then runs as its own user. `undefined`: not needed. */
export async function postgresUser(): Promise<{ uid: number; gid: number } | undefined> {
  const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
  if (uid !== 0) return { uid, gid };
  const ask = async (flag: string) => Number(await run('id', [flag, 'postgres']));
  try {
    return { uid: await ask('-u'), gid: await ask('-g') };
  } catch {
    return undefined;
  }
}
