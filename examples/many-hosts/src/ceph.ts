import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { answersHttp, type Daemon, freePort, startDaemon } from './daemon.js';
import { run } from './programs.js';

/** An S3-compatible gateway and the store behind it. */
export interface Gateway {
  /** Such as `http://127.0.0.1:7480`. */
  readonly endpoint: string;
  readonly port: number;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Kills only the gateway. The store behind it keeps running. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export const CEPH_PROGRAMS = ['radosgw', 'ceph-mon', 'ceph-mgr', 'ceph-osd', 'ceph'] as const;

/**
 * The smallest possible Ceph: a monitor, a manager, a store in memory and the object gateway, only
 * for this machine. It takes about 15 seconds to start, and loses all data when it stops.
 */
export async function startGateway(directory: string): Promise<Gateway> {
  const path = resolve(directory);
  for (const name of ['mon', 'mgr', 'osd', 'rgw', 'run', 'log']) {
    await mkdir(join(path, name), { recursive: true });
  }
  const port = await freePort();
  const conf = join(path, 'ceph.conf');
  const keyring = join(path, 'keyring');
  const [fsid, base] = [randomUUID(), randomInt(20_000, 32_000)];
  const monitor = `[v2:127.0.0.1:${base},v1:127.0.0.1:${base + 1}]`;
  await writeFile(conf, configuration({ path, port, fsid, monitor }));
  const daemons: Daemon[] = [];
  const start = async (
    program: string,
    args: readonly string[],
    isReady: () => Promise<boolean>,
  ) => {
    const daemon = await startDaemon({ program, args: ['-f', '-c', conf, ...args], isReady });
    daemons.push(daemon);
    return daemon;
  };
  const ceph = (...args: readonly string[]) =>
    run('ceph', ['-c', conf, '--connect-timeout', '20', ...args]);
  const addKey = async (name: string, ...rights: readonly string[]) =>
    appendFile(keyring, await ceph('auth', 'get-or-create', name, ...rights));
  const atOnce = async () => true;

  const monitorKey = ['--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *'];
  await run('ceph-authtool', ['--create-keyring', keyring, ...monitorKey]);
  const everything = ['mon', 'osd', 'mgr'].flatMap((kind) => ['--cap', kind, 'allow *']);
  await run('ceph-authtool', [keyring, '--gen-key', '-n', 'client.admin', ...everything]);
  const map = join(path, 'monmap');
  await run('monmaptool', ['--create', '--fsid', fsid, '--addv', 'a', monitor, map]);
  const empty = ['--mkfs', '--monmap', map, '--keyring', keyring];
  await run('ceph-mon', ['-c', conf, '-i', 'a', ...empty]);
  await start('ceph-mon', ['-i', 'a'], () => ceph('status').then(atOnce));
  await addKey('mgr.x', 'mon', 'allow profile mgr', 'osd', 'allow *', 'mds', 'allow *');
  await start('ceph-mgr', ['-i', 'x'], atOnce);
  const uuid = randomUUID();
  const id = (await ceph('osd', 'new', uuid)).trim();
  await addKey(
    `osd.${id}`,
    'mon',
    'allow profile osd',
    'mgr',
    'allow profile osd',
    'osd',
    'allow *',
  );
  await run('ceph-osd', ['-c', conf, '-i', id, '--mkfs', '--osd-uuid', uuid]);
  await start('ceph-osd', ['-i', id], atOnce);
  await addKey('client.rgw.a', 'mon', 'allow rw', 'osd', 'allow rwx', 'mgr', 'allow rw');
  const endpoint = `http://127.0.0.1:${port}`;
  const gateway = await start('radosgw', ['-n', 'client.rgw.a'], answersHttp(endpoint));

  const keys = {
    accessKeyId: randomBytes(10).toString('hex'),
    secretAccessKey: randomBytes(20).toString('hex'),
  };
  const user = ['--uid=storage', '--display-name=storage'];
  const pair = [`--access-key=${keys.accessKeyId}`, `--secret=${keys.secretAccessKey}`];
  await run('radosgw-admin', ['-c', conf, 'user', 'create', ...user, ...pair]);
  return {
    ...{ endpoint, port, ...keys },
    kill: () => gateway.kill(),
    restart: () => gateway.restart(),
    async stop() {
      // No data is needed any more, and a graceful stop would take seconds.
      for (const daemon of daemons.reverse()) await daemon.kill();
    },
  };
}

interface Settings {
  readonly path: string;
  readonly port: number;
  readonly fsid: string;
  readonly monitor: string;
}

const configuration = ({ path, port, fsid, monitor }: Settings): string => `[global]
fsid = ${fsid}
mon host = ${monitor}
public network = 127.0.0.0/8
public addr = 127.0.0.1
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
keyring = ${path}/keyring
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pgp num = 8
osd crush chooseleaf type = 0
mon allow pool size one = true
mon warn on pool no redundancy = false
run dir = ${path}/run
pid file = ${path}/run/$type.$id.pid
admin socket = ${path}/run/$type.$id.asok
log file = ${path}/log/$type.$id.log
mon data = ${path}/mon
mgr data = ${path}/mgr
osd data = ${path}/osd
rgw data = ${path}/rgw
[osd]
osd objectstore = memstore
memstore device bytes = 4294967296
[client.rgw.a]
rgw frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
`;
