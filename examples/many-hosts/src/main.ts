import { rmSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answersHttp, type Daemon, startDaemon } from './daemon.js';
import { makeBucket } from './make-bucket.js';
import {
  CEPH_PROGRAMS,
  freePort,
  missing,
  startGateway,
  startNginx,
  startPostgres,
} from './services.js';

/**
 * Three app servers on one storage behind nginx, with everything that they need. All data is
 * removed at the end.
 */
const HOSTS = 3;
const { PORT = '8080' } = process.env;

const lacking = await missing('postgres', 'nginx', ...CEPH_PROGRAMS);
if (lacking !== undefined) throw new Error(lacking);
const directory = await mkdtemp(join(tmpdir(), 'bucketware-many-hosts-'));

process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
await chmod(directory, 0o711); // PostgreSQL may run as a different user.

console.log('Starting PostgreSQL');
const postgres = await startPostgres(join(directory, 'postgres'));
console.log('Starting the gateway of Ceph, which takes a while');
const gateway = await startGateway(join(directory, 'ceph'));
const blobs = `s3://bytes/storage?endpoint=${gateway.endpoint}`;
await makeBucket(blobs, gateway);

const env = {
  ...process.env,
  METADATA: postgres.url,
  BLOBS: blobs,
  AWS_ACCESS_KEY_ID: gateway.accessKeyId,
  AWS_SECRET_ACCESS_KEY: gateway.secretAccessKey,
};
const program = fileURLToPath(new URL('./host.js', import.meta.url));
const hosts: { readonly port: number; readonly daemon: Daemon }[] = [];
for (let index = 0; index < HOSTS; index++) {
  const port = await freePort();
  const daemon = await startDaemon({
    ...{ program: process.execPath, args: [program] },
    env: { ...env, PORT: String(port) },
    isReady: answersHttp(`http://127.0.0.1:${port}/health`),
  });
  hosts.push({ port, daemon });
}
const ports = hosts.map(({ port }) => port);
const nginx = await startNginx(join(directory, 'nginx'), Number(PORT), ports);

const url = `http://127.0.0.1:${PORT}`;
console.log(`
${HOSTS} app servers are behind ${url}. Try them:

  curl -X PUT -H 'Authorization: Bearer alice' ${url}/storage/notes
  curl -X PUT -H 'Authorization: Bearer alice' --data-binary 'Hello.' ${url}/storage/notes/hello.txt
  curl -H 'Authorization: Bearer alice' ${url}/storage/notes/hello.txt
  curl ${url}/health

If you kill an app server, the others continue, and it is restarted:
`);
for (const { daemon } of hosts) console.log(`  kill -9 ${daemon.pid}`);
console.log('\nPress Ctrl+C to stop everything.');

let stopping = false;
const watching = setInterval(() => void watch().catch(console.error), 500);

/** Does what a process manager does on a real machine. */
async function watch(): Promise<void> {
  for (const { daemon, port } of hosts) {
    if (stopping || daemon.isRunning()) continue;
    console.log(`The app server on port ${port} has ended. Restarting it.`);
    await daemon.restart();
    console.log(`  kill -9 ${daemon.pid}`);
  }
}

async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  clearInterval(watching);
  await nginx.stop();
  for (const { daemon } of hosts) await daemon.stop();
  await Promise.all([gateway.stop(), postgres.stop()]);
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop());
