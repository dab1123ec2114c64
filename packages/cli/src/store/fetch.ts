import * as http from 'node:http';
import * as https from 'node:https';
import { Readable } from 'node:stream';

// Node's servers close what was idle for five seconds: a request must not meet that.
const settings = { keepAlive: true, timeout: 4_000 };
const agents = { 'http:': new http.Agent(settings), 'https:': new https.Agent(settings) };

/** Responses up to this size are read at once, which is quicker. */
const SMALL = 64 * 1024;

/**
 * What the client needs of `fetch`, on `node:http`: Node's own takes several times the processor
 * time, more than a server needs to store a small object. Redirects are not followed.
 */
export const fetchOverHttp: typeof globalThis.fetch = async (input, init = {}) => {
  const url = input as URL;
  const { method, signal } = init;
  const body = init.body as string | Uint8Array | undefined;
  const length = body === undefined ? lengthOfNone(method) : { 'content-length': sizeOf(body) };
  const headers = { ...(init.headers as Record<string, string>), ...length };
  const { request } = url.protocol === 'https:' ? https : http;
  const agent = agents[url.protocol as keyof typeof agents];
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const options = { method, headers, agent, ...(signal && { signal }) };
    request(url, options, resolve).on('error', reject).end(body);
  });
  return toResponse(response, method);
};

/** Some proxies require the length of an empty body. */
const lengthOfNone = (method = 'GET') =>
  ['GET', 'HEAD'].includes(method) ? {} : { 'content-length': 0 };

const sizeOf = (body: string | Uint8Array): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;

async function toResponse(
  received: http.IncomingMessage,
  method: string | undefined,
): Promise<Response> {
  const { statusCode: status = 0, rawHeaders } = received;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
  }
  const response = new Response(await bodyOf(received, method), { status, headers });
  const isRedirect = status >= 300 && status < 400 && headers.has('location');
  return isRedirect ? Object.defineProperty(response, 'redirected', { value: true }) : response;
}

async function bodyOf(
  received: http.IncomingMessage,
  method: string | undefined,
): Promise<ConstructorParameters<typeof Response>[0]> {
  const { statusCode = 0, headers } = received;
  const hasNone = method === 'HEAD' || [204, 205, 304].includes(statusCode);
  if (hasNone || headers['content-length'] === '0') {
    received.resume();
    return null;
  }
  if (!(Number(headers['content-length']) <= SMALL)) {
    return Readable.toWeb(received) as ReadableStream<Uint8Array>;
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of received) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
