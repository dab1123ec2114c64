import {
  type Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import { Answer } from './answer.js';

/** The body of a request. An iterable has no announced length, and is sent in chunks. */
export type Body = string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface WireRequest {
  readonly origin: string;
  readonly method: string;
  /** Raw path and query. Sent as they are: nothing is decoded, encoded or normalised. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders | undefined;
  readonly body?: Body | undefined;
  readonly agent?: Agent | undefined;
}

/** Sends a request with node:http. Rejects if there is no complete response. */
export const send = async (request: WireRequest): Promise<Answer> => receive(await begin(request));

/** Sends a request. Resolves to the head of the response, whose body has not been read yet. */
export function begin(request: WireRequest): Promise<IncomingMessage> {
  const { hostname, port } = new URL(request.origin);
  const { method, path } = request;
  const body = typeof request.body === 'string' ? Buffer.from(request.body) : request.body;
  const headers = { ...request.headers };
  if (body instanceof Uint8Array && !('transfer-encoding' in headers)) {
    headers['content-length'] ??= body.length; // By itself, Node does not frame the body of a GET.
  }
  return new Promise((resolve, reject) => {
    const options = { host: hostname, port, method, path, headers, agent: request.agent ?? false };
    const req = httpRequest(options, resolve);
    req.on('error', reject);
    if (body === undefined || body instanceof Uint8Array) {
      req.end(body);
    } else if (Symbol.asyncIterator in body) {
      writeSlowly(req, body).catch((error: Error) => req.destroy(error));
    } else {
      for (const chunk of body) req.write(chunk);
      req.end();
    }
  });
}

async function writeSlowly(req: ClientRequest, body: AsyncIterable<Uint8Array>): Promise<void> {
  req.flushHeaders();
  for await (const chunk of body) req.write(chunk);
  req.end();
}

/** Reads the rest of a response. */
export async function receive(res: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of res) chunks.push(chunk);
  return new Answer(res.statusCode ?? 0, res.rawHeaders, Buffer.concat(chunks));
}

/** A connection to which a test writes raw text or bytes. */
export interface Wire {
  readonly socket: Socket;
  write(bytes: string | Uint8Array): Promise<void>;
  /** The first response until the connection was closed, or `undefined` if there was none. */
  readonly answer: Promise<Answer | undefined>;
}

/** Opens a connection. Text is sent as Latin-1, with one byte for each character. */
export async function dial(origin: string): Promise<Wire> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.setNoDelay(true);
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  socket.on('end', () => socket.end());
  socket.on('error', () => {}); // A connection that the server resets also emits `close`.
  const answer = new Promise<Answer | undefined>((resolve) => {
    socket.on('close', () => resolve(parse(Buffer.concat(received))));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  const write = (bytes: string | Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      const data = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
      // Also resolves if the server has closed the connection: its response says why.
      socket.write(data, () => resolve());
    });
  return { socket, write, answer };
}

function parse(bytes: Buffer): Answer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = lines.flatMap((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at), line.slice(at + 1).trim()];
  });
  const body = bytes.subarray(end + 4);
  const at = headers.findIndex((name) => name.toLowerCase() === 'content-length');
  const length = at < 0 ? body.length : Number(headers[at + 1]);
  return new Answer(Number(first.split(' ')[1]), headers, body.subarray(0, length));
}
