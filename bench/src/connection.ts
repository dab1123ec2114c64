import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Answer {
  /** Status line and headers. */
  readonly head: string;
  /** The body as text, unless somebody else took the bytes. */
  readonly text: string;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly length?: number;
  readonly body?: Iterable<Uint8Array>;
  /** Takes the body of the answer. The bytes are only valid during the call. */
  readonly onBytes?: (bytes: Uint8Array) => void;
}

const END_OF_HEAD = '\r\n\r\n';
const READ_BYTES = 256 * 1024;

/**
 * A keep-alive connection for one request at a time. It knows just enough HTTP/1.1 to cost next to
 * nothing, so that what is measured is the server. Anything but a 200 is an error.
 */
export class Connection {
  readonly #socket: Socket;
  #onBytes: ((bytes: Uint8Array) => void) | undefined;
  #head = '';
  #text = '';
  /** Bytes of the body that are still to come; undefined while the head is. */
  #left: number | undefined;
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
    this.#socket.on('close', () => this.#settle?.reject(new Error('The server hung up.')));
  }

  async send({ method, path, length = 0, body = [], onBytes }: Request): Promise<Answer> {
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#onBytes = onBytes;
    const announced = method === 'PUT' ? `Content-Length: ${length}\r\n` : '';
    this.#socket.write(`${method} ${path} HTTP/1.1\r\nHost: bench\r\n${announced}\r\n`);
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
    this.#left = Number(/\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1]);
    this.#takeBody(bytes.subarray(bytes.length - extra));
  }

  #takeBody(bytes: Buffer): void {
    this.#left = (this.#left as number) - bytes.length;
    if (this.#onBytes) this.#onBytes(bytes);
    else this.#text += bytes.toString('latin1');
    if (this.#left === 0) this.#finish();
    else if (!(this.#left > 0)) this.#settle?.reject(new Error(`Bad length:\n${this.#head}`));
  }

  #finish(): void {
    const answer = { head: this.#head, text: this.#text };
    const settle = this.#settle;
    this.#head = '';
    this.#text = '';
    this.#left = undefined;
    this.#settle = undefined;
    if (answer.head.startsWith('HTTP/1.1 200 ')) settle?.resolve(answer);
    else settle?.reject(new Error(`${answer.head}\n\n${answer.text}`));
  }
}

/** Sends one request on a connection of its own. */
export async function send(port: number, request: Request): Promise<Answer> {
  const connection = new Connection(port);
  try {
    return await connection.send(request);
  } finally {
    connection.close();
  }
}

/** Sends requests over many connections, and hands every answer to `check`. */
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
