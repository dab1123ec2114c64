import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { connect, continueWhenRead } from '@bucketware/core/node';
import { s3 } from '@bucketware/s3';
import { v1Signatures } from '@bucketware/signature';
import type { ObjectStorage } from '@bucketware/storage';
import { UsageError } from './failures.js';
import type { CommonOptions } from './options.js';
import { ownHosts } from './own-hosts.js';
import { toJson } from './text.js';

export interface ServeOptions extends CommonOptions {
  readonly port: string;
  readonly host: string;
  readonly open?: boolean;
  readonly publicUrl?: string;
}

/** The holder of the key owns what they create, and may do everything else too. */
const OWNER = { tenantCode: 'main', tenantId: 'main', userId: 'owner', userName: 'owner' };

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Serves a storage until the signal aborts. */
export async function listen(
  storage: ObjectStorage,
  options: ServeOptions,
  signal: AbortSignal,
): Promise<void> {
  const port = portOf(options.port);
  const { host, open = false } = options;
  if (open && !LOOPBACK.has(host)) {
    throw new UsageError('--open lets everyone do everything, so it works only with 127.0.0.1.');
  }
  const key = accessKey();
  const server = createServer(listenerFor(storage, options, key));
  // An upload may take hours.
  server.requestTimeout = 0;
  server.on('checkContinue', continueWhenRead);
  server.listen(port, host);
  await once(server, 'listening');
  storage.maintenance.start({ every: 60_000 });
  announce(server, options, open ? undefined : key);
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  server.close();
  server.closeIdleConnections();
  // Running requests get a moment to finish.
  const timer = setTimeout(() => server.closeAllConnections(), 5_000);
  await once(server, 'close');
  clearTimeout(timer);
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`--port takes a number up to 65535, not ${text}.`);
}

interface AccessKey {
  readonly accessKey: string;
  readonly secret: string;
  readonly isNew: boolean;
}

function accessKey(): AccessKey {
  const { BUCKETWARE_ACCESS_KEY: given, BUCKETWARE_SECRET: itsSecret } = process.env;
  if (given && itsSecret) return { accessKey: given, secret: itsSecret, isNew: false };
  const secret = randomBytes(24).toString('base64url');
  return { accessKey: `BW${randomBytes(9).toString('hex').toUpperCase()}`, secret, isNew: true };
}

function listenerFor(
  storage: ObjectStorage,
  { open = false, publicUrl }: ServeOptions,
  { accessKey: name, secret }: AccessKey,
): RequestListener {
  const credentials = { [name]: { secret, principal: OWNER } };
  const principal = () => (open ? OWNER : undefined);
  // The key belongs to the operator. Others have only the rights from access control lists.
  const authorize = (question: { principal: unknown; allowed: boolean }) =>
    question.principal !== undefined || question.allowed;
  const place = (mount: string) => ({
    ...{ mount, principal, authorize },
    publicUrl: publicUrl && publicUrl.replace(/\/$/, '') + mount,
  });
  const json = connect('serve', storage, { ...place('/storage'), credentials }, v1Signatures);
  const dialect = s3({ credentials });
  const forS3 = connect('serve', storage, { ...place('/s3'), dialect }, v1Signatures);
  const isOwnHost = ownHosts(publicUrl);
  return async (req, res) => {
    if (open && !isOwnHost(req)) return refuseHost(res);
    const context = { url: req.url ?? '/', mount: '', principal };
    if (await json(req, res, context)) return;
    if (await forS3(req, res, context)) return;
    res
      .writeHead(404, { 'content-type': 'text/plain' })
      .end('The JSON interface is at /storage, S3 at /s3.\n');
  };
}

function refuseHost(res: ServerResponse): void {
  const headers = { 'content-type': 'text/plain', connection: 'close' };
  res
    .writeHead(403, headers)
    .end(
      'With --open, the storage is available only at 127.0.0.1, localhost, [::1] and --public-url.\n',
    );
}

function announce(server: Server, { host, json }: ServeOptions, key?: AccessKey) {
  const { port } = server.address() as { port: number };
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const isNew = key?.isNew === true;
  if (json) {
    const made = isNew ? { accessKey: key.accessKey, secret: key.secret } : {};
    process.stdout.write(`${toJson({ url: `${origin}/storage`, s3: `${origin}/s3`, ...made })}\n`);
    return;
  }
  process.stdout.write(`Serving ${origin}/storage and, for S3 clients, ${origin}/s3\n`);
  if (isNew) {
    process.stdout.write(
      `\n  export BUCKETWARE_STORE=${origin}/storage\n` +
        `  export BUCKETWARE_ACCESS_KEY=${key.accessKey}\n  export BUCKETWARE_SECRET=${key.secret}\n\n` +
        'Paste these three lines into another terminal. The key is valid until this process ends.\n',
    );
  }
}
