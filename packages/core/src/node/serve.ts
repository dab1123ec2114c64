import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Credentials } from '../contracts/credentials.js';
import type { SignatureScheme } from '../contracts/signatures.js';
import { type HandlerOptions, MIDDLEWARE_OPTIONS } from '../http/handler-options.js';
import type { Presign } from '../http/link.js';
import type { StorageRequest, StorageResponse } from '../http/message.js';
import { checkOptions, checkStorage } from '../options.js';
import { cutWhenStalled, waitForTurn } from './connection.js';
import { pipeDirectly } from './direct-pipe.js';
import { forStream, isDestroyed, streamOf } from './http2.js';
import { holdBack, NodeRequest, type RequestContext } from './incoming.js';
import { bypassesFramework, merged, sendResponse } from './outgoing.js';

const ORIGIN = 'access-control-allow-origin';
const CREDENTIALS = 'access-control-allow-credentials';

/** What `storage.handler()` returns. */
type Handle = (request: StorageRequest) => Promise<StorageResponse | undefined>;

/**
 * Handles a request of node:http with the storage. Resolves to false when the request is not for
 * the storage, so that the app continues with its next handler.
 *
 * ```ts
 * const handle = storage.handler();
 * createServer(async (req, res) => {
 *   const context = { url: req.url ?? '/', mount: '', principal: () => userOf(req) };
 *   if (!(await serve(handle, req, res, context))) res.writeHead(404).end();
 * });
 * ```
 *
 * @param carry Lets a framework send a response in its own way. Not called for responses that
 * frameworks do not send correctly, which `serve` sends itself.
 * @param bypass Called before `serve` sends a response itself.
 */
export async function serve(
  handle: Handle,
  req: IncomingMessage,
  res: ServerResponse,
  context: RequestContext,
  carry?: (response: StorageResponse) => void,
  bypass?: () => void,
): Promise<boolean> {
  const letFlow = holdBack(req, res);
  // Until the response can be sent, it would only hold a file and memory.
  if (res.socket === null && !(await waitForTurn(req, res))) return true;
  const response = await handle(new NodeRequest(req, res, context));
  if (response === undefined) {
    letFlow();
    return false;
  }
  const { body, stallTimeout } = response;
  const isGone = req.socket.destroyed || isDestroyed(res);
  // If the app has already begun a response, such as that of a timeout, Node throws its error for a
  // second one.
  if ((isGone || res.headersSent) && body instanceof Readable) body.destroy();
  if (isGone) return true;
  cutWhenStalled(req, res, stallTimeout);
  const sent = body instanceof Readable ? bodyFor(req, res, body) : body;
  const headers = merged(response.headers, res.getHeader('vary'));
  // The CORS rule of a bucket replaces the app's own CORS headers, including those for credentials.
  if (ORIGIN in headers && !(CREDENTIALS in headers)) res.removeHeader(CREDENTIALS);
  if (carry === undefined || bypassesFramework(req, response)) {
    bypass?.();
    await sendResponse(req, res, { ...response, headers, body: sent });
  } else {
    carry({ ...response, headers, body: sent });
  }
  return true;
}

function bodyFor(req: IncomingMessage, res: ServerResponse, body: Readable): Readable {
  const stream = streamOf(req, res);
  if (stream !== undefined) return forStream(body, stream);
  pipeDirectly(body);
  return body;
}

/** The options of an adapter: those of a handler, and how to identify the caller. */
interface AdapterOptions extends Omit<HandlerOptions, 'signatures'> {
  readonly principal: unknown;
  readonly credentials?: Credentials | undefined;
}

/** Creates the signatures of the JSON dialect: `v1Signatures()` of `@bucketware/signature`. */
type MakeSignatures = (options: { readonly credentials: Credentials }) => SignatureScheme;

/** Handles the requests of one mount. */
export interface Serve {
  /** Handles one request of node:http. Resolves to false when it is not for the storage. */
  (
    req: IncomingMessage,
    res: ServerResponse,
    context: RequestContext,
    carry?: (response: StorageResponse) => void,
    bypass?: () => void,
  ): Promise<boolean>;
  /** Creates a link to a bucket or object of this mount. */
  readonly presign: Presign;
}

/**
 * The core of an adapter for a framework: checks the options of a middleware, and returns the
 * function that handles its requests. `what` is the function that the app called, for messages.
 */
export function connect(
  what: string,
  storage: Handling,
  options: AdapterOptions,
  makeSignatures: MakeSignatures,
): Serve {
  const handle = handlerFor(what, storage, options, makeSignatures);
  const answer = (...given: Parameters<Serve>) => serve(handle, ...given);
  return Object.assign(answer, { presign: handle.presign });
}

/** The same for an adapter whose requests are not those of node:http. */
export function handlerFor(
  what: string,
  storage: Handling,
  options: AdapterOptions,
  makeSignatures: MakeSignatures,
): ReturnType<Handling['handler']> {
  checkStorage(what, storage, 'handler');
  checkOptions(what, options, MIDDLEWARE_OPTIONS);
  const { principal: _, credentials, ...others } = options;
  const { dialect } = options;
  if (credentials !== undefined && dialect !== undefined) {
    throw new TypeError(
      `${what}: pass the credentials to the dialect, as in s3({ credentials }), not to the middleware.`,
    );
  }
  const signatures = credentials && makeSignatures({ credentials });
  return storage.handler({ ...others, signatures });
}

interface Handling {
  handler(options: HandlerOptions): Handle & { readonly presign: Presign };
}
