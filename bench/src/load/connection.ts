import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  /** The status line and the headers. */
  readonly head: string;
  /** The body as text. Empty if `onBytes` received it. */
  readonly text: string;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly length?: number | undefined;
  readonly body?: Iterable<Uint8Array>;
  /** Receives the body of the response. The bytes are valid only during the call. */
  readonly onBytes?: (bytes: Uint8Array) => void;
}

const END_OF_HEAD = '\r\n\r\n';
const END_OF_CHUNKS = '0\r\n\r\n';
const READ_BYTES = 256 * 1024;

/** The remaining part of the body: a number of bytes, or `chunked` until its end. */
type Left = number | 'chunked';

/**
 * A keep-alive connection for one request at a time. It implements as little of HTTP/1.1 as
 * possible, so that the server is measured and not the client. Responses other than success are
 * errors. A body in chunks is passed on as it is sent, including the sizes of the chunks.
 */
export class Connection {
  readonly #socket: Socket;
  #method = '';
  #onBytes: ((bytes: Uint8Array) => void) | undefined;
  #head = '';
  #text = '';
  /** The remaining part of the body, or `undefined` while the head is incomplete. */
  #left: Left | undefined;
  #tail = '';
  #settle: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  constructor(port: number) {
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafeSlow(READ_BYTES),
        callback: (size, buffer) => {
          this.#take(Buffer.from(buffer.buffer, buffer.byteOffset, size));
          return true;
        },
      },
    });
    this.#socket.on('error', (error) => this.#settle?.reject(error));
    this.#socket.on('close', () =>
      this.#settle?.reject(new Error('The server closed the connection.')),
    );
  }

  async send(request: Request): Promise<Answer> {
    const { method, path, headers = {}, length, body = [], onBytes } = request;
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    answer.catch(() => {}); // The response may fail while the body is still being sent.
    this.#method = method;
    this.#onBytes = onBytes;
    let head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n`;
    for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
    if (length !== undefined) head += `Content-Length: ${length}\r\n`;
    this.#socket.write(`${head}\r\n`);
    for (const chunk of body) {
      if (!this.#socket.write(chunk)) await Promise.race([once(this.#socket, 'drain'), answer]);
    }
    return answer;
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    if (this.#left !== undefined) {
      this.#takeBody(bytes);
      return;
    }
    this.#head += bytes.toString('latin1');
    const end = this.#head.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const extra = this.#head.length - end - END_OF_HEAD.length;
    this.#head = this.#head.slice(0, end);
    this.#left = bodyOf(this.#method, this.#head);
    this.#takeBody(bytes.subarray(bytes.length - extra));
  }

  #takeBody(bytes: Buffer): void {
    if (this.#onBytes) this.#onBytes(bytes);
    else this.#text += bytes.toString('latin1');
    if (this.#left === 'chunked') {
      this.#tail = (this.#tail + bytes.toString('latin1')).slice(-END_OF_CHUNKS.length);
      if (this.#tail === END_OF_CHUNKS) this.#finish();
      return;
    }
    this.#left = (this.#left as number) - bytes.length;
    if (this.#left === 0) this.#finish();
    else if (!(this.#left > 0)) this.#settle?.reject(new Error(`Bad length:\n${this.#head}`));
  }

  #finish(): void {
    const head = this.#head;
    const status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    const text = this.#text;
    const settle = this.#settle;
    this.#head = '';
    this.#text = '';
    this.#tail = '';
    this.#left = undefined;
    this.#settle = undefined;
    if (status >= 200 && status < 300) settle?.resolve({ status, head, text });
    else settle?.reject(new Error(`${head}\n\n${text}`));
  }
}

function bodyOf(method: string, head: string): Left {
  if (method === 'HEAD' || / (?:204|304) /.test(head.slice(0, 14))) return 0;
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return 'chunked';
  return Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
}

/** Sends a request on a new connection. */
export async function send(port: number, request: Request): Promise<Answer> {
  const connection = new Connection(port);
  try {
    return await connection.send(request);
  } finally {
    connection.close();
  }
}

/** Sends requests over many connections, and passes every response to `check`. */
export async function sendMany(
  port: number,
  { connections, requests }: { connections: number; requests: number },
  request: (index: number) => Request,
  check: (answer: Answer, index: number) => void = () => {},
): Promise<void> {
  let next = 0;
  const worker = async () => {
    const connection = new Connection(port);
    try {
      for (let index = next++; index < requests; index = next++) {
        check(await connection.send(request(index)), index);
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
}
