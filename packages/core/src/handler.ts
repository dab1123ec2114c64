import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type AdmittedCall, admit, callerId, run } from './call.js';
import type { Principal } from './contracts/principal.js';
import { readPrincipal, SYSTEM } from './engine/access/principal.js';
import { findBucket } from './engine/buckets/buckets.js';
import type { Body } from './engine/content/receive.js';
import type { Store } from './engine/store.js';
import { asStorageError } from './errors.js';
import { HANDLER_OPTIONS, type HandlerOptions } from './handler-options.js';
import { changes, requireKnownSigner } from './http/allow-list.js';
import { announcedLength, incoming, NOTHING, requireNoBody } from './http/body.js';
import {
  type Exposure,
  isUsable,
  protectContent,
  requireInactive,
  requireOwnOverrides,
} from './http/content-headers.js';
import { crossOrigin } from './http/cors.js';
import { requireOwnSite } from './http/cross-site.js';
import { dispatcher } from './http/dispatch.js';
import type { Fields, InputSource } from './http/fields.js';
import { PREFIX, RequestHeaders, withPrefix } from './http/headers.js';
import { readJson } from './http/json-body.js';
import type { StorageRequest, StorageResponse } from './http/message.js';
import type { AnyOperation } from './http/operation.js';
import { patiently, untilAnswered } from './http/patience.js';
import { renderError } from './http/render.js';
import { readStallTimeout } from './http/stall.js';
import { recordOf, type StoredObject } from './http/stored-object.js';
import { encodeKey, findPlace, readTarget } from './http/target.js';
import { operations } from './operations/index.js';
import { checkOptions } from './options.js';
import { guarded } from './reporting.js';

/** Undefined: the request is not for the storage, and the host goes on with its next handler. */
export type Handler = (request: StorageRequest) => Promise<StorageResponse | undefined>;

/** The failures that are not the client's. */
const ALARMING = new Set(['InternalError', 'InsufficientStorage', 'ServiceUnavailable']);

const REQUEST_ID = `${PREFIX}request-id`;

const dispatch = dispatcher(Object.values(operations));

/** The corridor that every request goes through, from raw request to answer. */
export function createHandler(
  store: Store,
  options: HandlerOptions = {},
  fallback?: HandlerOptions['onError'],
): Handler {
  checkOptions('storage.handler()', options, HANDLER_OPTIONS);
  const prefix = (options.headerPrefix ?? PREFIX).toLowerCase();
  const {
    authorize,
    onError = fallback ?? (() => {}),
    trustedContent = false,
    crossSiteRequests = 'refuse',
    patience = { after: 10_000, every: 5_000 },
  } = options;
  const tell = guarded(onError);
  const stallTimeout = readStallTimeout(options.stallTimeout ?? 60_000);
  const terms = { stallTimeout, jsonTimeout: readStallTimeout(options.jsonTimeout ?? 60_000) };

  return async (request) => {
    const requestId = randomUUID();
    const { method } = request;
    let operation: AnyOperation | undefined;
    let cors: Readonly<Record<string, string>> = {};
    let principal: Principal | undefined;
    const report = (error: unknown): void =>
      tell(error, { requestId, method, operation: operation?.name });
    const failed = (error: unknown): StorageResponse => {
      const failure = asStorageError(error);
      if (ALARMING.has(failure.code)) report(failure.cause ?? failure);
      const response = renderError(failure, requestId, prefix);
      return method === 'HEAD' ? { ...response, body: '' } : response;
    };
    const answered = (response: StorageResponse): StorageResponse => {
      // The answer's own headers are added to: to copy them costs more than all else here.
      const headers = response.headers as Record<string, string>;
      const { vary } = headers;
      for (const name in cors) headers[name] ??= cors[name] as string;
      if (cors.vary !== undefined && vary?.startsWith(cors.vary) === false) {
        headers.vary = `${cors.vary}, ${vary}`;
      }
      // A shared cache must not give to others what was answered to somebody.
      if (principal !== undefined) headers['cache-control'] ??= 'private';
      headers[REQUEST_ID] = requestId;
      const named = prefix === PREFIX ? headers : withPrefix(headers, prefix);
      return { status: response.status, headers: named, body: response.body, stallTimeout };
    };

    try {
      const headers = new RequestHeaders(request.rawHeaders, prefix);
      const place = findPlace(request, headers, options);
      if (place === undefined) return undefined;
      const { bucket: bucketName = '' } = place;
      const bucket = bucketName === '' ? undefined : await findBucket(store, bucketName);
      const { headers: corsHeaders, rule } = await crossOrigin(store, bucket, method, headers);
      cors = corsHeaders;
      const target = readTarget(place);
      const { key = '', query } = target;
      operation = dispatch(method, target, headers);
      const page = changes(method)
        ? requireOwnSite(crossSiteRequests, { headers, ownHost: place.ownHost, rule })
        : undefined;
      const { input, json, permission, servesContent, slow, takes } = operation;
      const length = announcedLength(headers);
      const url = () => `${place.bucketUrl()}/${encodeKey(key)}`;
      if (servesContent && !trustedContent) requireInactive(headers);
      if (permission !== 'NONE') {
        principal = await readPrincipal(request.principal);
        requireKnownSigner(query, principal);
        page?.requireOwner(bucket, principal, SYSTEM);
      }
      const leaving = slow ? untilAnswered(() => request.signal) : undefined;
      const application = {
        operation,
        bucketName,
        bucket,
        key,
        url,
        requestId,
        principal,
        page,
        authorize,
        opensLate: false,
        trusted: false,
        announced: length,
        signal: leaving ? leaving.signal : () => request.signal,
      };
      const takesNothing = takes === 'nothing' && changes(method) && operation.name;
      const call = await admit(store, application, async () => {
        if (takesNothing) {
          await requireNoBody(takesNothing, request, length, { headers, stallTimeout });
        }
        const how = {
          ...terms,
          announced: length,
          headers,
          memory: store.jsonMemory,
          caller: callerId(principal),
        };
        const parsed = json && (await readJson(request, json, how));
        return readInput(input, { query, headers, json: parsed });
      });
      const body = takes === 'bytes' ? incoming(request, headers, length, stallTimeout) : NOTHING;
      if (servesContent) {
        requireOwnOverrides(call.input, principal, headers, trustedContent);
      }
      const work = carryOut(operation, call, body, {
        trusted: trustedContent,
        shared: rule !== undefined,
        usable: isUsable(headers),
        input: call.input,
      });
      const answer = leaving
        ? await patiently(work.catch(failed), patience, leaving.answered)
        : await work;
      if (answer.body instanceof Readable) watch(answer.body, report);
      return answered(answer);
    } catch (error) {
      return answered(failed(error));
    }
  };
}

async function carryOut(
  operation: AnyOperation,
  call: AdmittedCall,
  body: Body,
  exposure: Omit<Exposure, 'open'>,
): Promise<StorageResponse> {
  const { result, call: whole } = await run(operation, call, body);
  const response = operation.respond(result, whole);
  if (operation.servesContent && call.permit !== undefined) {
    const open = await call.permit.isOpen(call.key, recordOf(result as StoredObject));
    try {
      const headers = response.headers as Record<string, string>;
      protectContent(response.status, headers, { ...exposure, open });
    } catch (error) {
      if (response.body instanceof Readable) response.body.destroy();
      throw error;
    }
  }
  return response;
}

function readInput(fields: Fields, source: InputSource): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) input[name] = field.read(source);
  return input;
}

/** A stream that the client left is no error; one that broke under us is. */
function watch(body: Readable, report: (error: unknown) => void): void {
  body.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') report(error);
  });
}
