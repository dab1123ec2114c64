import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** A request, as a fault sees it. */
export interface Seen {
  /** Such as `PutObject`. */
  readonly name: string;
  readonly key: string;
  readonly range: string | undefined;
}

/**
 * What goes wrong with a request.
 * `cut`: the connection ends before the request is processed. `lost`: it ends afterwards, without a
 * response. `page`: the response is replaced by the page of a proxy, with status 503. `silent`: there
 * is never a response. `late`: the request is processed when {@link
 * Store.arrive} is called, and never gets a response. `half`: the connection ends after half of the
 * response. `stalled`: nothing follows half of the response. `wrong`: one byte of the response is
 * changed. `endless`: the body of the response is repeated forever.
 */
export type Fault =
  | { readonly status: number; readonly code?: string; readonly body?: string }
  | 'cut'
  | 'lost'
  | 'page'
  | 'silent'
  | 'late'
  | 'half'
  | 'stalled'
  | 'wrong'
  | 'endless';

/** An S3 store in memory whose faults the test chooses. Signatures are not verified. */
export interface Store {
  readonly endpoint: string;
  readonly objects: Map<string, Buffer>;
  readonly uploads: Map<string, Map<number, Buffer>>;
  readonly seen: Seen[];
  /** Called for each request. Returns the fault, if there is one. */
  fault: (seen: Seen, index: number) => Fault | undefined;
  /** Whether the store supports `If-None-Match`. `refused`: it responds with 501. */
  conditions: boolean | 'refused';
  /** Processes the late requests. */
  arrive(): void;
  close(): Promise<void>;
}

interface Call extends Seen {
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer | string;
}

export async function s3Store(): Promise<Store> {
  const late: (() => unknown)[] = [];
  const server = createServer((request, response) => {
    answer(store, late, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const store: Store = {
    endpoint: `http://127.0.0.1:${port}`,
    ...{ objects: new Map(), uploads: new Map(), seen: [] },
    ...{ fault: () => undefined, conditions: true },
    arrive: () => late.splice(0).forEach((carryOut) => void carryOut()),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return store;
}

async function answer(
  store: Store,
  late: (() => unknown)[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://store');
  const key = decodeURIComponent(pathname.split('/').slice(2).join('/'));
  const seen: Seen = {
    name: nameOf(request, searchParams, key),
    key,
    range: request.headers.range,
  };
  const fault = store.fault(seen, store.seen.push(seen) - 1);
  const body = await buffer(request);
  const carryOut = () => perform(store, { ...seen, request, query: searchParams, body });
  if (fault === 'cut') return void request.socket.destroy();
  if (fault === 'silent') return;
  if (fault === 'late') return void late.push(carryOut);
  if (typeof fault === 'object') {
    return send(response, { ...failed(fault.status, fault.code ?? 'Oops'), ...fault });
  }
  const digest = createHash('sha256').update(body).digest('hex');
  const isWhole = digest === request.headers['x-amz-content-sha256'];
  const result = isWhole ? carryOut() : failed(400, 'XAmzContentSHA256Mismatch');
  if (fault === 'lost') return void request.socket.destroy();
  if (fault === undefined) return send(response, result);
  if (fault === 'page') return send(response, { status: 503, body: '<h1>Unavailable</h1>' });
  await sendBadly(response, result, fault);
}

/** For requests whose responses have a body. */
async function sendBadly(
  response: ServerResponse,
  { status, headers = {}, body = '' }: Answer,
  fault: 'half' | 'stalled' | 'wrong' | 'endless',
): Promise<void> {
  const bytes = Buffer.from(body);
  if (fault === 'wrong') {
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    return send(response, { status, headers, body: bytes });
  }
  if (fault === 'endless') {
    response.writeHead(status, headers);
    return pipeline(forever(bytes), response);
  }
  response.writeHead(status, { ...headers, 'content-length': bytes.length });
  response.write(bytes.subarray(0, bytes.length >> 1));
  if (fault === 'stalled') return;
  await new Promise((resolve) => setTimeout(resolve, 20)); // So that the first half arrives.
  response.destroy();
}

function* forever(bytes: Buffer): Generator<Buffer> {
  for (;;) yield bytes;
}

function send(response: ServerResponse, { status, headers = {}, body = '' }: Answer): void {
  response.writeHead(status, {
    'content-length': response.req.method === 'HEAD' ? '0' : String(Buffer.byteLength(body)),
    ...headers,
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

function nameOf({ method, headers }: IncomingMessage, query: URLSearchParams, key: string): string {
  const source = headers['x-amz-copy-source'] !== undefined;
  if (method === 'PUT' && query.has('uploadId')) return source ? 'UploadPartCopy' : 'UploadPart';
  if (method === 'PUT') return source ? 'CopyObject' : 'PutObject';
  if (method === 'POST') return query.has('uploads') ? 'CreateUpload' : 'CompleteUpload';
  if (method === 'DELETE') return query.has('uploadId') ? 'AbortUpload' : 'DeleteObject';
  if (method === 'HEAD') return 'HeadObject';
  return key === '' ? 'ListObjects' : 'GetObject';
}

const failed = (status: number, code: string): Answer => ({
  ...{ status, headers: { 'content-type': 'application/xml' } },
  body: `<Error><Code>${code}</Code><Message>${code} it is.</Message></Error>`,
});

const xml = (name: string, content: string): Answer => ({
  ...{ status: 200, headers: { 'content-type': 'application/xml' } },
  body: `<?xml version="1.0"?><${name}>${content}</${name}>`,
});

const etagOf = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

function perform(store: Store, call: Call): Answer {
  return (PERFORM[call.name] as (store: Store, call: Call) => Answer)(store, call);
}

const PERFORM: Readonly<Record<string, (store: Store, call: Call) => Answer>> = {
  PutObject({ objects, conditions }, { key, body, request }) {
    if (request.headers['if-none-match'] !== undefined && conditions !== false) {
      if (conditions === 'refused') return failed(501, 'NotImplemented');
      if (objects.has(key)) return failed(412, 'PreconditionFailed');
    }
    objects.set(key, body);
    return { status: 200, headers: { etag: etagOf(body) } };
  },
  GetObject({ objects }, { key, request: { headers } }) {
    const bytes = objects.get(key);
    if (bytes === undefined) return failed(404, 'NoSuchKey');
    const etag = etagOf(bytes);
    if ((headers['if-match'] ?? etag) !== etag) return failed(412, 'PreconditionFailed');
    const [, first = '0', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    if (headers.range === undefined) return { status: 200, headers: { etag }, body: bytes };
    if (Number(first) >= bytes.length) return failed(416, 'InvalidRange');
    const part = bytes.subarray(Number(first), Number(last) + 1);
    const range = `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}`;
    return { status: 206, headers: { etag, 'content-range': range }, body: part };
  },
  HeadObject({ objects }, { key }) {
    const bytes = objects.get(key);
    if (bytes === undefined) return { status: 404 };
    return { status: 200, headers: { 'content-length': String(bytes.length) } };
  },
  DeleteObject({ objects }, { key }) {
    objects.delete(key);
    return { status: 204 };
  },
  ListObjects({ objects }, { query }) {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, 100).map((key) => {
      const size = objects.get(key)?.length;
      return `<Contents><Key>${key}</Key><Size>${size}</Size></Contents>`;
    });
    const isTruncated = `<IsTruncated>${keys.length > 100}</IsTruncated>`;
    return xml('ListBucketResult', isTruncated + page.join(''));
  },
  CopyObject({ objects }, { key, request }) {
    const bytes = objects.get(sourceOf(request));
    if (bytes === undefined) return failed(404, 'NoSuchKey');
    objects.set(key, bytes);
    return xml('CopyObjectResult', `<ETag>${etagOf(bytes)}</ETag>`);
  },
  CreateUpload({ uploads }, { key }) {
    const id = randomUUID();
    uploads.set(id, new Map());
    return xml('InitiateMultipartUploadResult', `<Key>${key}</Key><UploadId>${id}</UploadId>`);
  },
  UploadPart({ uploads }, { query, body }) {
    const parts = uploads.get(query.get('uploadId') ?? '');
    if (parts === undefined) return failed(404, 'NoSuchUpload');
    parts.set(Number(query.get('partNumber')), body);
    return { status: 200, headers: { etag: etagOf(body) } };
  },
  CompleteUpload({ uploads, objects }, { key, query, body }) {
    const id = query.get('uploadId') ?? '';
    const parts = uploads.get(id);
    if (parts === undefined) return failed(404, 'NoSuchUpload');
    const numbers = [...String(body).matchAll(/<PartNumber>(\d+)</g)].map(([, one]) => Number(one));
    objects.set(key, Buffer.concat(numbers.map((number) => parts.get(number) as Buffer)));
    uploads.delete(id);
    return xml('CompleteMultipartUploadResult', `<Key>${key}</Key><ETag>"parts"</ETag>`);
  },
  AbortUpload({ uploads }, { query }) {
    const isThere = uploads.delete(query.get('uploadId') ?? '');
    return isThere ? { status: 204 } : failed(404, 'NoSuchUpload');
  },
};

const sourceOf = ({ headers }: IncomingMessage): string =>
  decodeURIComponent(String(headers['x-amz-copy-source'])).split('/').slice(1).join('/');
