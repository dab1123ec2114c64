import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Authorize, Permission, Principal } from './contracts/principal.js';
import { asStorageError, StorageError } from './errors.js';
import { dispatcher } from './http/dispatch.js';
import type { Fields, InputSource } from './http/fields.js';
import { PREFIX, RequestHeaders, withPrefix } from './http/headers.js';
import { eatenBody, readJson } from './http/json-body.js';
import type { StorageRequest, StorageResponse } from './http/message.js';
import type { AnyOperation, Call, Subject as On } from './http/operation.js';
import { renderError } from './http/render.js';
import { type PlaceOptions, parseTarget } from './http/target.js';
import { isAllowed } from './model/access.js';
import { readBucket } from './model/buckets.js';
import type { Body } from './model/receive.js';
import type { Store } from './model/store.js';
import { operations } from './operations/index.js';

export interface HandlerOptions extends PlaceOptions {
  /** Replaces or tightens the default rule. Throwing refuses the request with an InternalError. */
  readonly authorize?: Authorize | undefined;
  /** Told about every failure that is not the client's, with its cause. */
  readonly onError?: ((error: unknown, context: ErrorContext) => void) | undefined;
  /** How the interface's own headers start. Default `x-svc-`. */
  readonly headerPrefix?: string | undefined;
}

export interface ErrorContext {
  readonly requestId: string;
  readonly method: string;
  /** Undefined when the request was not understood so far. */
  readonly operation: string | undefined;
}

/** Undefined: the request is not for the storage, and the host goes on with its next handler. */
export type Handler = (request: StorageRequest) => Promise<StorageResponse | undefined>;

/** The failures that are not the client's. */
const ALARMING = new Set(['InternalError', 'InsufficientStorage', 'ServiceUnavailable']);

const dispatch = dispatcher(Object.values(operations));

/** The corridor that every request goes through, from raw request to answer. */
export function createHandler(store: Store, options: HandlerOptions = {}): Handler {
  const prefix = (options.headerPrefix ?? PREFIX).toLowerCase();

  return async (request) => {
    const requestId = randomUUID();
    let operation: AnyOperation | undefined;
    const report = (error: unknown) =>
      options.onError?.(error, { requestId, method: request.method, operation: operation?.name });

    const answer = (response: StorageResponse): StorageResponse => {
      const headers = { ...response.headers, [`${PREFIX}request-id`]: requestId };
      return { ...response, headers: withPrefix(headers, prefix) };
    };

    try {
      const headers = new RequestHeaders(request.rawHeaders, prefix);
      const target = parseTarget(request, headers, options);
      if (target === undefined) return undefined;
      operation = dispatch(request.method, target, headers);
      const subject: Subject = {
        operation,
        bucketName: target.bucket ?? '',
        key: target.key ?? '',
        principal: await request.principal(),
        authorize: options.authorize,
      };
      const length = announcedLength(headers);
      const call = await admit(store, subject, async () => {
        const json = operation?.json && (await readJson(request, length, operation.json));
        return readInput((operation as AnyOperation).input, { query: target.query, headers, json });
      });
      const body = operation.takes === 'bytes' ? incoming(request, headers, length) : NOTHING;
      const result = await operation.run({ ...call, body });
      const response = operation.respond(result, call);
      if (response.body instanceof Readable) watch(response.body, report);
      return answer(response);
    } catch (error) {
      const failure = asStorageError(error);
      if (ALARMING.has(failure.code)) report(failure.cause ?? failure);
      const response = renderError(failure, requestId);
      return answer(request.method === 'HEAD' ? { ...response, body: '' } : response);
    }
  };
}

/** Who wants to do what. */
export interface Subject {
  readonly operation: AnyOperation;
  readonly bucketName: string;
  readonly key: string;
  readonly principal: Principal | undefined;
  readonly authorize: Authorize | undefined;
}

type AnyCall = Omit<Call<On, Fields>, 'body'>;

/** Finds the bucket, asks whether the caller may, and only then reads the input. */
export async function admit(
  store: Store,
  { operation, bucketName, key, principal, authorize }: Subject,
  readInput: () => unknown,
): Promise<AnyCall> {
  const { permission, route } = operation;
  const exists = route.on === 'bucket' || route.on === 'object';
  const bucket = exists ? await readBucket(store, bucketName) : undefined;
  const ask = async (needed: Permission, about: string): Promise<boolean> => {
    const allowed = isAllowed(needed, bucket?.record, principal);
    if (authorize === undefined) return allowed;
    return authorize({
      operation: operation.name,
      permission: needed,
      bucket: bucketName || undefined,
      key: about || undefined,
      principal,
      allowed,
    });
  };
  if (permission !== 'each' && !(await ask(permission, key)))
    throw new StorageError('AccessDenied');
  const input = (await readInput()) as AnyCall['input'];
  return { store, input, bucket, bucketName, key, principal, mayTouch: ask };
}

export const NOTHING: Body = { source: (async function* () {})(), length: 0 };

function readInput(fields: Fields, source: InputSource): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) input[name] = field.read(source);
  return input;
}

const LENGTH = /^\d{1,15}$/;

function announcedLength(headers: RequestHeaders): number | undefined {
  const text = headers.get('content-length');
  if (text === undefined) return undefined;
  if (!LENGTH.test(text)) throw new StorageError('InvalidHTTPRequest', 'Bad Content-Length.');
  return Number(text);
}

/** The bytes of a request; those that the host has read already when it kept them. */
function incoming(
  request: StorageRequest,
  headers: RequestHeaders,
  length: number | undefined,
): Body {
  const { signal } = request;
  if (length === undefined && !headers.has('transfer-encoding')) {
    throw new StorageError('MissingContentLength');
  }
  if (!request.bodyConsumed) return { source: request.body, length, signal };
  if (!(request.parsedBody instanceof Uint8Array)) throw eatenBody();
  return { source: Readable.from([request.parsedBody]), length, signal };
}

/** A stream that the client left is no error; one that broke under us is. */
function watch(body: Readable, report: (error: unknown) => void): void {
  body.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') report(error);
  });
}
