import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { OwnServer } from '../keyv/servers.js';
import { type TcpProxy, tcpProxy } from './tcp-proxy.js';

/** The blob store, with functions that interrupt it. */
export interface Bytes {
  readonly port: number;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** Several hosts on the same database and store, each behind a proxy. */
export interface Cluster {
  readonly records: TcpProxy;
  readonly bytes: TcpProxy;
  /** The URLs of the records and the blobs, without a proxy. */
  readonly places: { readonly metadata: string; readonly blobs: string };
  /** The URL of a random host. */
  origin(): string;
  /** Kills one host with `kill -9`. It then starts again at the same address. */
  killOne(): Promise<void>;
  /** Ends all hosts gracefully, and returns their exit codes. */
  stop(): Promise<(number | null)[]>;
  dispose(): Promise<void>;
}

const program = fileURLToPath(new URL('./host.js', import.meta.url));
const HOUR = 60 * 60 * 1000;

/** The clock skew of each host. */
const SKEWS = [0, HOUR, -HOUR];

const BUCKET = 'bytes';

interface Host {
  child: ChildProcess;
  readonly origin: string;
  readonly env: NodeJS.ProcessEnv;
}

export async function startCluster(database: OwnServer, store: Bytes): Promise<Cluster> {
  const records = await tcpProxy(Number(new URL(database.url).port));
  const bytes = await tcpProxy(store.port);
  const metadata = new URL(database.url);
  const placeOf = (port: number) => `s3://${BUCKET}/prefix?endpoint=http://127.0.0.1:${port}`;
  const places = { metadata: metadata.href, blobs: placeOf(store.port) };
  metadata.port = String(records.port);
  const hosts: Host[] = [];
  for (const skew of SKEWS) {
    const env = {
      ...process.env,
      ...{ METADATA: metadata.href, BLOBS: placeOf(bytes.port), SKEW: String(skew) },
      AWS_ACCESS_KEY_ID: store.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.credentials.secretAccessKey,
    };
    const { child, origin } = await startHost(env);
    hosts.push({ child, origin, env: { ...env, PORT: new URL(origin).port } });
  }
  const any = () => hosts[Math.floor(Math.random() * hosts.length)] as Host;
  return {
    ...{ records, bytes, places },
    origin: () => any().origin,
    async killOne() {
      const host = any();
      await end(host.child, 'SIGKILL');
      host.child = (await startHost(host.env)).child;
    },
    stop: () => Promise.all(hosts.map(({ child }) => end(child, 'SIGTERM'))),
    async dispose() {
      await Promise.all(hosts.map(({ child }) => end(child, 'SIGKILL')));
      await Promise.all([records.close(), bytes.close()]);
    },
  };
}

/** Like a process manager, tries again until the backends can be reached. */
async function startHost(env: NodeJS.ProcessEnv): Promise<Pick<Host, 'child' | 'origin'>> {
  for (let tries = 1; ; tries++) {
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const errors: Buffer[] = [];
    child.stderr.on('data', (text: Buffer) => errors.push(text));
    const ended = once(child, 'exit').then(() => undefined);
    const line = once(createInterface(child.stdout), 'line').then(([text]) => String(text));
    const origin = /^listening on (\S+)$/.exec((await Promise.race([line, ended])) ?? '')?.[1];
    if (origin !== undefined) return { child, origin };
    if (tries === 20) throw new Error(`The host did not start: ${Buffer.concat(errors)}`);
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
  return child.exitCode;
}
