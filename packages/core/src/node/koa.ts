import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StorageResponse } from '../http/message.js';
import { keepProtections } from './protections.js';

/** The part of Koa's context that sends a response. */
interface KoaContext {
  status: number;
  body: unknown;
  respond?: boolean;
  onerror(error: Error): void;
  remove(header: string): void;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

type Answer = Pick<StorageResponse, 'status' | 'headers' | 'body'>;

/**
 * Handles a request of Koa. `serve` passes its response to `carry`, so that middleware of the app can
 * still add headers, such as cookies; or it calls `bypass` and sends the response itself. Until then,
 * middleware that does not wait may respond. Calls `next` if `serve` resolves to false.
 */
export async function serveInKoa(
  ctx: KoaContext,
  next: () => Promise<unknown>,
  serve: (carry: (answer: Answer) => void, bypass: () => void) => Promise<boolean>,
): Promise<void> {
  const { onerror } = ctx;
  ctx.onerror = withoutDisconnects(onerror);
  const bypass = () => {
    ctx.respond = false;
  };
  let isCarried = false;
  const carry = (answer: Answer) => {
    isCarried = true;
    passToKoa(ctx, answer);
  };
  const isOurs = await serve(carry, bypass);
  if (isOurs && !isCarried) bypass();
  if (isOurs) return;
  ctx.onerror = onerror;
  await next();
}

function passToKoa(ctx: KoaContext, response: Answer): void {
  const { status, headers, body } = response;
  // Koa guesses a type for a body, so the status is set first and the headers last.
  ctx.status = status;
  if (status !== 204 && status !== 304) {
    ctx.body = body instanceof Uint8Array ? asBuffer(body) : body;
  }
  ctx.remove('content-type');
  for (const name of Object.keys(headers)) ctx.res.setHeader(name, headers[name] as string);
  keepProtections(ctx.res, response);
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/**
 * Koa logs a client that disconnects as an error of the app. Failures of the app's own connections
 * have the same codes, so the error is dropped only if the client's connection is closed.
 */
const withoutDisconnects = (onerror: KoaContext['onerror']): KoaContext['onerror'] =>
  function (this: KoaContext, error: NodeJS.ErrnoException | null) {
    const hasDisconnected = this.req.socket.destroyed || this.res.destroyed;
    if (!(hasDisconnected && DISCONNECTED.test(error?.code ?? '')))
      onerror.call(this, error as Error);
  };

/** The codes of broken connections, including those broken during a request. */
const DISCONNECTED =
  /^(ECONNRESET|EPIPE|ETIMEDOUT|ERR_STREAM_PREMATURE_CLOSE|ERR_HTTP2_STREAM_ERROR|HPE_.*)$/;
