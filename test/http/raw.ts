import { type OutgoingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
  readonly text: string;
}

export interface RawOptions {
  /** Default: alice. Empty: anonymous. */
  readonly as?: 'alice' | 'bob' | '';
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
}

/** A request whose path is sent unchanged. Other clients resolve `..`. */
export function call(
  origin: string,
  method: string,
  path: string,
  { as = 'alice', headers = {}, body }: RawOptions = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin);
  const authorization = as === '' ? {} : { authorization: `Bearer ${as}` };
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const framed = headers['transfer-encoding'] !== undefined || bytes === undefined;
  const length = framed ? {} : { 'content-length': bytes.length };
  const all = { ...authorization, ...length, ...headers };
  return new Promise((resolve, reject) => {
    const options = { host: hostname, port, method, path, headers: all, agent: false };
    const req = request(options, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const whole = Buffer.concat(chunks);
        const { statusCode: status = 0, headers: found } = res;
        resolve({ status, headers: found, body: whole, text: whole.toString() });
      });
    });
    req.on('error', reject);
    req.end(bytes);
  });
}

/** A connection for a request that may never be finished. */
export async function dial(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {}); // `close` follows, and is all that matters.
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return socket;
}

/** The head of a request by alice. */
export const opening = (method: string, path: string, ...headers: string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', 'Authorization: Bearer alice', ...headers, '', ''].join(
    '\r\n',
  );

/** A connection that collects the data it receives. */
export async function open(origin: string) {
  const socket = await dial(origin);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, closed, received: () => Buffer.concat(chunks) };
}

/** The text after the head of a response. */
export const bodyOf = (answer: Buffer): Buffer => answer.subarray(answer.indexOf('\r\n\r\n') + 4);
