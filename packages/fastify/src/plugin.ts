import type { HandlerOptions, ObjectStorage, Presign, PrincipalResult } from '@bucketware/core';
import { connect } from '@bucketware/core/node';
import { type Credentials, v1Signatures } from '@bucketware/signature';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';

export interface FastifyStorageOptions extends Omit<HandlerOptions, 'signatures'> {
  /**
   * Who is calling: your app's user as tenantCode, tenantId, userId and userName, or undefined for an
   * anonymous caller. Called once for each request of the storage. Anything else fails the request.
   */
  readonly principal: (request: FastifyRequest) => PrincipalResult | Promise<PrincipalResult>;
  /**
   * Whose access keys sign requests (`Authorization: bce-auth-v1/…`, or `?authorization=` in a URL): an
   * object from access key to `{ secret, principal }`, or a function that looks one up and may return
   * a promise. Default: signatures are not verified. With `dialect`, give them to the dialect.
   */
  readonly credentials?: Credentials | undefined;
}

/** A plugin of Fastify that also makes signed links to what is mounted. */
export type StoragePlugin = FastifyPluginCallback & { readonly presign: Presign };

/**
 * Answers the storage's requests below the prefix of the plugin, and leaves all others to the
 * not-found handler of the app.
 *
 * ```ts
 * const principal = ({ user }) =>
 *   user && {
 *     tenantCode: 'main',
 *     tenantId: '1',
 *     userId: String(user.id),
 *     userName: user.email,
 *   };
 * app.register(storagePlugin(storage, { principal }), { prefix: '/storage' });
 * ```
 */
export function storagePlugin(
  storage: ObjectStorage,
  options: FastifyStorageOptions,
): StoragePlugin {
  const serve = connect('storagePlugin()', storage, options, v1Signatures);
  const { principal } = options;
  const plugin: FastifyPluginCallback = (app, _, done) => {
    const prefix = app.prefix.replace(/\/$/, '').split('/').slice(1);
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const { raw } = request;
      const split = splitBehind(prefix, raw.url ?? '/');
      if (split === undefined) return reply.callNotFound();
      const [mount, url] = split;
      const context = { url, mount, principal: () => principal(request) };
      passHeaders(reply);
      if (!(await serve(raw, reply.raw, context))) return reply.callNotFound();
      return reply.hijack();
    };
    // The storage reads the bodies itself.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    const onRequest = async (request: FastifyRequest) => {
      // Fastify refuses types that it cannot parse. Nobody parses these: they are those of objects.
      request.headers = { 'content-type': 'application/octet-stream' };
    };
    // The app's own limit would end long uploads and downloads.
    const { handlerTimeout } = app.initialConfig as { handlerTimeout?: number };
    const times = handlerTimeout ? { handlerTimeout: LONGEST_MS } : {};
    const route = { method: app.supportedMethods, onRequest, handler, ...times };
    app.route({ ...route, url: '/*' });
    if (app.prefix !== '') app.route({ ...route, url: '', prefixTrailingSlash: 'no-slash' });
    done();
  };
  return Object.assign(plugin, { presign: serve.presign });
}

/** Longer than that no timer of Node runs. */
const LONGEST_MS = 2 ** 31 - 1;

/** What hooks of the app have set belongs to the answers of the storage too. */
function passHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    reply.removeHeader(name);
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
}

/**
 * Splits a url behind the segments of a prefix. One in absolute form keeps its authority, which counts
 * as the host (RFC 9112 section 3.2.2). Undefined: the path does not begin with the prefix. Fastify may
 * ignore duplicate slashes, and can end a path at a semicolon; a key may have both.
 */
function splitBehind(
  prefix: readonly string[],
  url: string,
): [mount: string, below: string] | undefined {
  if (prefix.length === 0) return ['', url];
  const [, origin = '', target = url] = ABSOLUTE.exec(url) ?? [];
  const [path = '', ...query] = target.split(/(?=\?)/);
  const [ahead, ...segments] = path.split('/');
  const mount = segments.slice(0, prefix.length);
  const isBelow = ahead === '' && prefix.every((expected, at) => fits(mount[at], expected));
  if (!isBelow) return undefined;
  const below = segments.slice(prefix.length).join('/');
  return [mount.map((segment) => `/${segment}`).join(''), `${origin}/${below}${query.join('')}`];
}

const ABSOLUTE = /^(https?:\/\/[^/?#]*)(.*)$/is;

/** Fastify has compared the segments already, in the case that the app has chosen. */
function fits(segment: string | undefined, expected: string): boolean {
  if (!segment) return false;
  if (expected.includes(':')) return true;
  try {
    return decodeURIComponent(segment).toLowerCase() === expected.toLowerCase();
  } catch {
    return false; // What follows a semicolon may be in any form.
  }
}
