import type { HandlerOptions, ObjectStorage, Presign, PrincipalResult } from '@bucketware/core';
import { connect } from '@bucketware/core/node';
import { type Credentials, v1Signatures } from '@bucketware/signature';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';

/** The options of {@link storagePlugin}. */
export interface FastifyStorageOptions extends Omit<HandlerOptions, 'signatures'> {
  /**
   * Returns the caller: your app's user as `{ tenantCode, tenantId, userId, userName }`, or
   * undefined for an anonymous caller. Any other result fails the request. Called once for each
   * request to the storage.
   */
  readonly principal: (request: FastifyRequest) => PrincipalResult | Promise<PrincipalResult>;
  /**
   * The credentials of signed requests (`Authorization: bce-auth-v1/…`, or `?authorization=` in a
   * URL): an object that maps access keys to `{ secret, principal }`, or a function that looks one
   * up and may return a promise. Default: signatures are not verified. With `dialect`, pass them to
   * the dialect instead.
   */
  readonly credentials?: Credentials | undefined;
}

/** A plugin for Fastify that also creates signed links. */
export type StoragePlugin = FastifyPluginCallback & { readonly presign: Presign };

/**
 * Handles requests to the storage below the prefix of the plugin, and passes all others to the
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
    app.addContentTypeParser('*', ({ raw }, payload, parsed) =>
      parsed(payload === raw ? null : replacedBody()),
    );
    // Not async: if a hook of the app listens to the request, the data would flow in the meantime.
    const onRequest = (request: FastifyRequest, _: FastifyReply, then: () => void) => {
      // Fastify rejects content types that it cannot parse. These are the types of objects, which
      // are not parsed at all.
      request.headers = { 'content-type': 'application/octet-stream' };
      then();
    };
    // The app's own timeout would end long uploads and downloads.
    const { handlerTimeout } = app.initialConfig as { handlerTimeout?: number };
    const times = handlerTimeout ? { handlerTimeout: LONGEST_MS } : {};
    // For @fastify/compress, which would keep compressed bodies in memory.
    const coding = { compress: false, decompress: false };
    const route = { method: app.supportedMethods, onRequest, handler, ...times, ...coding };
    app.route({ ...route, url: '/*' });
    if (app.prefix !== '') app.route({ ...route, url: '', prefixTrailingSlash: 'no-slash' });
    done();
  };
  return Object.assign(plugin, { presign: serve.presign });
}

/** The storage reads the request itself, so what a hook makes of it would pile up in memory. */
const replacedBody = () =>
  new Error(
    'A preParsing hook has replaced the body. Register the storage before the plugin that adds this hook.',
  );

/** The longest delay of a Node timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** Copies headers that hooks of the app have set to the responses of the storage. */
function passHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    reply.removeHeader(name);
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
}

/**
 * Splits a URL after the segments of a prefix. A URL in absolute form keeps its authority, which
 * counts as the host (RFC 9112 section 3.2.2). Returns `undefined` if the path does not begin with
 * the prefix. Fastify may ignore duplicate slashes, and can end a path at a semicolon; keys may
 * contain both.
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

/**
 * Fastify has already compared the segments, with the case sensitivity that the app has chosen, but
 * decoded. Other spellings are refused, because a hook of the app may look at the raw path.
 */
function fits(segment: string | undefined, expected: string): boolean {
  if (!segment) return false;
  if (expected.includes(':')) return true;
  const spellings = [expected, encodeURIComponent(expected)];
  return spellings.some((spelling) => spelling.toLowerCase() === segment.toLowerCase());
}
