import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type BackendHealth,
  type ObjectStorage,
  type Principal,
  StorageError,
  type StorageResponse,
} from '@bucketware/core';
import { checkPrincipal } from '@bucketware/core/contracts';
import { connect, holdBack, isMountExact, ONE_READING } from '@bucketware/core/node';
import { v1Signatures } from '@bucketware/signature';
import { assetOf, SECURITY_HEADERS } from './assets.js';
import type { ConsoleOptions, Identify } from './options.js';
import { isAlreadyRead, isOfOwnPage, jsonOf } from './own-page.js';

/** One request, as passed by a framework. */
export interface ConsoleRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Raw path and query below the mount. */
  readonly url: string;
  /** The raw path before it. */
  readonly mount: string;
  /** The path and query as the client sent them. Frameworks add a slash. */
  readonly originalUrl: string;
  readonly parsedBody: unknown;
  readonly principal: Identify;
  /** Called before the storage sends a response. */
  bypass?(): void;
}

/** Handles a request. Resolves to false when it is not for the console. */
export type ServeConsole = (request: ConsoleRequest) => Promise<boolean>;

/** A response of the console itself. */
type Answer = Pick<StorageResponse, 'status' | 'headers' | 'body'>;

type Route = (request: ConsoleRequest, user: Principal | undefined) => Promise<Answer>;

const API = '/storage';
/** The longest time that the console offers, in seconds. */
const LONGEST = 7 * 24 * 60 * 60;

/** The page, the storage with the rights of its users, and the page's own API. */
export function createConsole(storage: ObjectStorage, options: ConsoleOptions): ServeConsole {
  const { title = 'Storage', loginUrl, share, health, ...others } = options;
  const identify = () => undefined; // Each request has its own.
  const serve = connect(
    'storageConsole()',
    storage,
    { ...others, principal: identify },
    v1Signatures,
  );

  const seesHealth = async (user: Principal | undefined) =>
    user !== undefined && (await health?.(user)) === true;

  const session: Route = async (_, user) => {
    const { userId, userName } = user ?? {};
    const features = { share: share !== undefined, health: await seesHealth(user) };
    return json(200, { title, loginUrl, user: user && { userId, userName }, ...features });
  };

  const link: Route = async ({ req, parsedBody }, user) => {
    if (share === undefined || user === undefined || !isOfOwnPage(req, others.trustProxy))
      return refused();
    if (isAlreadyRead(req, parsedBody)) return json(500, ALREADY_READ);
    const body = await jsonOf(req, parsedBody);
    if (!isShare(body)) {
      const message = 'A link needs a bucket, a key and 1 to 604,800 seconds.';
      return json(400, { code: 'InvalidArgument', message });
    }
    const { bucket, key, expiresIn } = body;
    try {
      const made = await share({ bucket, key, expiresIn, principal: user });
      return made === undefined ? refused() : json(200, { url: made });
    } catch (error) {
      if (!(error instanceof StorageError) || error.status >= 500) throw error;
      const { status, code, message } = error;
      return json(status, { code, message });
    }
  };

  const report: Route = async (_, user) => {
    if (!(await seesHealth(user))) return refused();
    const { ok, records, blobs } = await storage.health();
    // The errors may contain host names and paths, so they go only to the log of the app.
    const shown = ({ ok, milliseconds }: BackendHealth) => ({ ok, milliseconds });
    return json(200, { ok, records: shown(records), blobs: shown(blobs) });
  };

  const routes: Readonly<Record<string, Route>> = {
    'GET /session': session,
    'POST /links': link,
    'GET /health': report,
  };

  return async (request) => {
    const { req, res, url, mount, originalUrl, principal, parsedBody, bypass } = request;
    // Otherwise, such a request could get past a login of the app or the proxy.
    if (!ONE_READING.test(originalUrl) || !isMountExact(originalUrl, url)) {
      return send(request, empty(400));
    }
    const path = url.split('?', 1)[0] as string;
    if (path === API || path.startsWith(`${API}/`)) {
      const below = url.slice(API.length);
      const place = { url: below.startsWith('/') ? below : `/${below}`, mount: mount + API };
      const context = { ...place, original: originalUrl, parsedBody, principal };
      return serve(req, res, context, undefined, bypass);
    }
    const method = req.method === 'HEAD' ? 'GET' : req.method;
    const route = routes[`${method} ${path}`];
    if (route !== undefined) {
      holdBack(req, res);
      return send(request, await route(request, await callerOf(principal)));
    }
    if (method !== 'GET') return false;
    // Without the slash, the page would look for its files next to the mount.
    if (path === '' || (path === '/' && !originalUrl.split('?', 1)[0]?.endsWith('/'))) {
      return send(request, empty(308, { location: `${onThisSite(mount)}/` }));
    }
    const found = await file(req, path === '/' ? 'console.html' : path.slice(1));
    return found !== undefined && send(request, found);
  };
}

/** The caller. The frameworks would not respond to an error without a value. */
async function callerOf(identify: Identify): Promise<Principal | undefined> {
  try {
    return checkPrincipal(await identify());
  } catch (error) {
    throw error ?? new Error('The option principal of storageConsole() failed without an error.');
  }
}

/** Browsers read two slashes as the start of another host. */
const onThisSite = (path: string): string => path.replace(/^\/+/, '/');

async function file(req: IncomingMessage, name: string): Promise<Answer | undefined> {
  const asset = await assetOf(name);
  if (asset === undefined) return undefined;
  const { body, type, etag } = asset;
  const headers = { ...SECURITY_HEADERS, etag, 'cache-control': 'no-cache' };
  if (req.headers['if-none-match'] === etag) return { status: 304, headers, body: NOTHING };
  const described = { ...headers, 'content-type': type, 'content-length': String(body.length) };
  return { status: 200, headers: described, body };
}

function json(status: number, value: unknown): Answer {
  const body = Buffer.from(JSON.stringify(value));
  const headers = {
    ...SECURITY_HEADERS,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(body.length),
  };
  return { status, headers, body };
}

const NOTHING = new Uint8Array();

const empty = (status: number, headers: Answer['headers'] = {}): Answer => ({
  status,
  headers: { ...headers, 'content-length': '0' },
  body: NOTHING,
});

function send({ req, res }: ConsoleRequest, { status, headers, body }: Answer): true {
  // Middleware that does not wait may have responded meanwhile.
  if (res.writableEnded || res.destroyed) return true;
  res.writeHead(status, headers).end(req.method === 'HEAD' ? '' : body);
  return true;
}

/** The response when the app has read a body and kept nothing of it: a configuration mistake. */
const ALREADY_READ = {
  code: 'InternalError',
  message:
    'The app read the request before it reached the console. Mount the console before body ' +
    'parsers and everything else that reads requests.',
};

const refused = (): Answer =>
  json(403, { code: 'AccessDenied', message: 'You are not allowed to do this.' });

interface Share {
  readonly bucket: string;
  readonly key: string;
  readonly expiresIn: number;
}

function isShare(value: unknown): value is Share {
  const { bucket, key, expiresIn } = (value ?? {}) as Partial<Share>;
  const isTime =
    Number.isInteger(expiresIn) && Number(expiresIn) > 0 && Number(expiresIn) <= LONGEST;
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  return isText(bucket) && isText(key) && isTime;
}
