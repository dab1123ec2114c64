import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { StorageRequest, StorageResponse } from '../http/message.js';
import { cutWhenStalled, itsTurn } from './connection.js';
import { type RequestContext, toStorageRequest } from './incoming.js';
import { bypassesFramework, merged, sendResponse } from './outgoing.js';

/** What `storage.handler()` returns. */
type Handle = (request: StorageRequest) => Promise<StorageResponse | undefined>;

/**
 * Answers a request of node:http from the storage. Resolves to false when the request is not for the
 * storage, so that the host goes on with its next handler.
 *
 * ```ts
 * const handle = storage.handler();
 * createServer(async (req, res) => {
 *   const context = { url: req.url ?? '/', mount: '', principal: () => userOf(req) };
 *   if (!(await serve(handle, req, res, context))) res.writeHead(404).end();
 * });
 * ```
 *
 * @param carry Lets a framework send an answer in its own way. It is not called for answers that no
 * framework sends well: those the bridge sends itself.
 */
export async function serve(
  handle: Handle,
  req: IncomingMessage,
  res: ServerResponse,
  context: RequestContext,
  carry?: (response: StorageResponse) => void,
): Promise<boolean> {
  // An answer that cannot be sent yet would only keep its file and its bytes.
  if (res.socket === null && !(await itsTurn(req, res))) return true;
  const response = await handle(toStorageRequest(req, res, context));
  if (response === undefined) return false;
  const { body, stallTimeout } = response;
  if (req.socket.destroyed || res.destroyed) {
    if (body instanceof Readable) body.destroy();
    return true;
  }
  cutWhenStalled(req, res, stallTimeout);
  const headers = merged(response.headers, res.getHeader('vary'));
  if (carry === undefined || bypassesFramework(req, response)) {
    await sendResponse(req, res, { ...response, headers });
  } else {
    carry({ ...response, headers });
  }
  return true;
}
