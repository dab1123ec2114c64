import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { findProgram, freePort, type Missing } from '../keyv/servers.js';

const run = promisify(execFile);

const PROGRAMS = ['ceph', 'ceph-authtool', 'ceph-mon', 'ceph-mgr', 'ceph-osd', 'monmaptool'];
const PACKAGES = 'radosgw ceph-mon ceph-osd ceph-mgr ceph-common';

/** An S3 store that runs on this machine. */
export interface Gateway {
  /** Of a bucket in it. A test chooses a prefix, and puts it in front of the `?`. */
  urlOf(prefix: string): string;
  readonly endpoint: string;
  stop(): Promise<void>;
}

const ACCESS_KEY = 'TESTKEY';
const SECRET = 'testsecret';
const BUCKET = 'blobs';

/**
 * A Ceph object gateway from Debian's packages: a monitor, a manager, one OSD in memory, and the
 * gateway. It takes about 15 seconds. Or `TEST_S3_URL`, with credentials in the usual variables.
 */
export async function s3Gateway(): Promise<Gateway | Missing> {
  const given = process.env.TEST_S3_URL;
  if (given) {
    const url = new URL(given);
    const urlOf = (prefix: string) => `s3://${url.hostname}/${prefix}${url.search}`;
    const endpoint = url.searchParams.get('endpoint') ?? '';
    return { urlOf, endpoint, stop: async () => undefined };
  }
  for (const name of [...PROGRAMS, 'radosgw', 'radosgw-admin']) {
    if (!(await findProgram(name))) return `${name} is not installed (apt-get install ${PACKAGES})`;
  }
  process.env.AWS_ACCESS_KEY_ID = ACCESS_KEY;
  process.env.AWS_SECRET_ACCESS_KEY = SECRET;
  const cluster = await startCluster();
  const { endpoint } = cluster;
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  client.destroy();
  return { ...cluster, urlOf: (prefix) => `s3://${BUCKET}/${prefix}?endpoint=${endpoint}` };
}

async function startCluster(): Promise<Pick<Gateway, 'endpoint' | 'stop'>> {
  const directory = await mkdtemp(join(tmpdir(), 'bucketware-ceph-'));
  const daemons: ChildProcess[] = [];
  // Should the tests end without stopping it, it goes with them.
  const killAll = (): void => daemons.forEach((daemon) => void daemon.kill('SIGKILL'));
  process.once('exit', killAll);
  const stop = async (): Promise<void> => {
    process.off('exit', killAll);
    for (const daemon of daemons.reverse()) {
      if (daemon.exitCode !== null || daemon.signalCode !== null) continue;
      daemon.kill('SIGKILL');
      await once(daemon, 'exit');
    }
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const endpoint = await startDaemons(directory, (name, ...args) => {
      daemons.push(spawn(name, args, { cwd: directory, stdio: 'ignore' }));
    });
    return { endpoint, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Daemon = (name: string, ...args: string[]) => void;

async function startDaemons(directory: string, daemon: Daemon): Promise<string> {
  const [port, modern, old] = [await freePort(), await freePort(), await freePort()];
  const monitor = `[v2:127.0.0.1:${modern},v1:127.0.0.1:${old}]`;
  const cluster = randomUUID();
  const [conf, keyring] = [join(directory, 'ceph.conf'), join(directory, 'keyring')];
  const map = join(directory, 'monmap');
  for (const name of ['mon', 'mgr', 'osd', 'run', 'log', 'rgw']) await mkdir(join(directory, name));
  await writeFile(conf, configOf({ directory, cluster, monitor, port }));
  const all = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *', '--cap', 'mgr', 'allow *'];
  const newKey = ['--gen-key', '-n'];
  await run('ceph-authtool', ['--create-keyring', keyring, ...newKey, 'mon.', ...all.slice(0, 3)]);
  await run('ceph-authtool', [keyring, ...newKey, 'client.admin', ...all]);
  await run('monmaptool', ['--create', '--fsid', cluster, '--addv', 'a', monitor, map]);
  const mon = ['-c', conf, '-i', 'a'];
  await run('ceph-mon', [...mon, '--mkfs', '--monmap', map, '--keyring', keyring]);
  daemon('ceph-mon', '-f', ...mon);
  const ceph = async (...args: string[]): Promise<string> =>
    (await run('ceph', ['-c', conf, '--connect-timeout', '60', ...args])).stdout;
  const addKey = async (name: string, ...caps: string[]) =>
    appendFile(keyring, await ceph('auth', 'get-or-create', name, ...caps));
  await addKey('mgr.x', 'mon', 'allow profile mgr', 'osd', 'allow *', 'mds', 'allow *');
  daemon('ceph-mgr', '-f', '-c', conf, '-i', 'x');
  const disk = randomUUID();
  const id = (await ceph('osd', 'new', disk)).trim();
  await addKey(
    `osd.${id}`,
    'mon',
    'allow profile osd',
    'mgr',
    'allow profile osd',
    'osd',
    'allow *',
  );
  const osd = ['-c', conf, '-i', id];
  await run('ceph-osd', [...osd, '--mkfs', '--osd-uuid', disk]);
  daemon('ceph-osd', '-f', ...osd);
  await addKey('client.rgw.a', 'mon', 'allow rw', 'osd', 'allow rwx', 'mgr', 'allow rw');
  daemon('radosgw', '-f', '-c', conf, '-n', 'client.rgw.a');
  const endpoint = `http://127.0.0.1:${port}`;
  await answers(endpoint);
  const keys = ['--access-key', ACCESS_KEY, '--secret', SECRET];
  const user = ['user', 'create', '--uid', 'test', '--display-name', 'Test', ...keys];
  await run('radosgw-admin', ['-c', conf, ...user]);
  return endpoint;
}

async function answers(endpoint: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const isThere = await fetch(endpoint).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isThere) return;
    await sleep(200);
  }
  throw new Error('The Ceph gateway did not start in two minutes.');
}

interface Settings {
  readonly directory: string;
  readonly cluster: string;
  readonly monitor: string;
  readonly port: number;
}

const configOf = ({ directory, cluster, monitor, port }: Settings): string => `[global]
fsid = ${cluster}
mon host = ${monitor}
public network = 127.0.0.0/8
public addr = 127.0.0.1
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
keyring = ${directory}/keyring
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pgp num = 8
mon allow pool size one = true
osd crush chooseleaf type = 0
run dir = ${directory}/run
admin socket = ${directory}/run/$type.$id.asok
log file = ${directory}/log/$type.$id.log
mon data = ${directory}/mon
mgr data = ${directory}/mgr
osd data = ${directory}/osd
rgw data = ${directory}/rgw
[osd]
osd objectstore = memstore
memstore device bytes = 4294967296
[client.rgw.a]
rgw frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
`;
