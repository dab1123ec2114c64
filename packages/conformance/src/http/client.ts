import { randomBytes } from 'node:crypto';
import { Agent, type OutgoingHttpHeaders } from 'node:http';
import type { Answer } from './answer.js';
import type { HttpServer } from './rule.js';
import { dial, send, type Wire, type WireRequest } from './wire.js';

/** Who calls: a user that the server knows by `Authorization: Bearer <name>`, or nobody. */
export type Caller = 'alice' | 'bob' | 'anonymous';

export interface ClientRequest {
  readonly method: string;
  /** Raw path and query below the mount. */
  readonly path: string;
  /** Default: alice. */
  readonly as?: Caller | undefined;
  readonly headers?: OutgoingHttpHeaders | undefined;
  readonly body?: string | Uint8Array | Iterable<Uint8Array> | undefined;
}

/** What a case talks to a server with. Buckets that it made are gone when the case is over. */
export class StorageClient {
  readonly server: HttpServer;
  readonly #origin: string;
  readonly #mount: string;
  readonly #buckets: string[] = [];
  /** Only for many requests in a row: a server may end a connection that rests for a moment. */
  readonly #agent = new Agent({ keepAlive: true });

  constructor(server: HttpServer) {
    const { origin, pathname } = new URL(server.url);
    this.server = server;
    this.#origin = origin;
    this.#mount = pathname === '/' ? '' : pathname;
  }

  send({ method, path, as = 'alice', headers, body }: ClientRequest): Promise<Answer> {
    const all = { ...authorization(as), ...headers };
    return this.#send({ method, path, headers: all, body });
  }

  #send(request: Omit<WireRequest, 'origin'>): Promise<Answer> {
    return send({ ...request, origin: this.#origin, path: this.#mount + request.path });
  }

  /** A raw connection. */
  dial(): Promise<Wire> {
    return dial(this.#origin);
  }

  /** The first lines of a raw request by alice, ready for more headers: no blank line yet. */
  opening(method: string, path: string): string {
    const { host } = new URL(this.#origin);
    return (
      `${method} ${this.#mount}${path} HTTP/1.1\r\nHost: ${host}\r\n` +
      'Connection: close\r\nAuthorization: Bearer alice\r\n'
    );
  }

  /** A bucket's name that nobody has. It is cleaned up in case that the case creates it. */
  newName(): string {
    const name = `case-${randomBytes(8).toString('hex')}`;
    this.#buckets.push(name);
    return name;
  }

  /** A new bucket of alice. */
  async newBucket(): Promise<string> {
    const name = this.newName();
    (await this.send({ method: 'PUT', path: `/${name}` })).is(200);
    return name;
  }

  put(
    path: string,
    body: string | Uint8Array | Iterable<Uint8Array> = '',
    headers?: OutgoingHttpHeaders,
  ): Promise<Answer> {
    return this.send({ method: 'PUT', path, body, headers });
  }

  get(path: string, headers?: OutgoingHttpHeaders): Promise<Answer> {
    return this.send({ method: 'GET', path, headers });
  }

  head(path: string, headers?: OutgoingHttpHeaders): Promise<Answer> {
    return this.send({ method: 'HEAD', path, headers });
  }

  delete(path: string): Promise<Answer> {
    return this.send({ method: 'DELETE', path });
  }

  /** Stores an empty object under each key, many at a time. */
  async fill(bucket: string, keys: readonly string[]): Promise<void> {
    const waiting = keys.values();
    const worker = async () => {
      for (const key of waiting) {
        const path = pathOf(bucket, key);
        const headers = authorization('alice');
        (await this.#send({ method: 'PUT', path, headers, body: '', agent: this.#agent })).is(200);
      }
    };
    await Promise.all(Array.from({ length: 32 }, worker));
  }

  /** Removes what the case has left. */
  async cleanUp(): Promise<void> {
    for (const bucket of this.#buckets) {
      for (const as of ['alice', 'bob'] as const) await this.#remove(bucket, as);
    }
    this.#agent.destroy();
  }

  /** A request that a case broke off may still be under way, and put something there. */
  async #remove(bucket: string, as: Caller): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      const page = await this.send({ method: 'GET', path: `/${bucket}`, as });
      if (page.status !== 200) return;
      const objects = page.json.contents.map(({ key }: { key: string }) => ({ key }));
      if (objects.length > 0) {
        const body = JSON.stringify({ objects });
        (await this.send({ method: 'POST', path: `/${bucket}?delete`, as, body })).is(200);
      } else if ((await this.send({ method: 'DELETE', path: `/${bucket}`, as })).status === 204) {
        return;
      }
    }
  }
}

const authorization = (as: Caller): OutgoingHttpHeaders =>
  as === 'anonymous' ? {} : { authorization: `Bearer ${as}` };

/** The path of an object, percent-encoded except for its slashes. */
export const pathOf = (bucket: string, key: string): string =>
  `/${bucket}/${encodeURIComponent(key).replaceAll('%2F', '/')}`;
