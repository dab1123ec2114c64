import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type AdmittedCall, admit, callerId, run } from '../actions/call.js';
import { recordOf, type StoredObject } from '../actions/stored-object.js';
import type { Principal } from '../contracts/principal.js';
import { readPrincipal, SYSTEM } from '../engine/access/principal.js';
import { findBucket } from '../engine/buckets/buckets.js';
import { type Body, NOTHING } from '../engine/content/receive.js';
import type { Store } from '../engine/store.js';
import { asStorageError, isServerFault } from '../errors.js';
import { checkOptions } from '../options.js';
import { guarded } from '../reporting.js';
import { changes } from './allow-list.js';
import { announcedLength, incoming, requireNoBody } from './body.js';
import {
  type Exposure,
  isUsable,
  protectContent,
  requireInactive,
  requireOwnOverrides,
} from './content-headers.js';
import { crossOrigin } from './cors.js';
import { requireOwnSite } from './cross-site.js';
import type { Dialect } from './dialect.js';
import { dispatcher } from './dispatch.js';
import { HANDLER_OPTIONS, type HandlerOptions } from './handler-options.js';
import type { StorageRequest, StorageResponse } from './message.js';
import type { Operation } from './operation.js';
import { patiently, untilAnswered } from './patience.js';
import type { InputSource } from './readers.js';
import { readStallTimeout } from './stall.js';
import { encodeKey, findPlace, readTarget } from './target.js';

/** Undefined: the request is not for the storage, and the host goes on with its next handler. */
export type Handler = (request: StorageRequest) => Promise<StorageResponse | undefined>;

/** The way that every request goes, from the raw request to its answer. */
export function createHandler(
  store: Store,
  speak: (options: HandlerOptions) => Dialect,
  options: HandlerOptions = {},
  fallback?: HandlerOptions['onError'],
): Handler {
  checkOptions('storage.handler()', options, HANDLER_OPTIONS);
  const dialect = speak(options);
  const {
    authorize,
    onError = fallback ?? (() => {}),
    trustedContent = false,
    crossSiteRequests = 'refuse',
    patience = { after: 10_000, every: 5_000 },
  } = options;
  const tell = guarded(onError);
  const dispatch = dispatcher(dialect.operations);
  const stallTimeout = readStallTimeout(options.stallTimeout ?? 60_000);
  const terms = { stallTimeout, jsonTimeout: readStallTimeout(options.jsonTimeout ?? 60_000) };

  return async (request) => {
    const requestId = randomUUID();
    const { method } = request;
    let operation: Operation | undefined;
    let cors: Readonly<Record<string, string>> = {};
    let principal: Principal | undefined;
    const report = (error: unknown): void =>
      tell(error, { requestId, method, operation: operation?.action.name });
    const failed = (error: unknown): StorageResponse => {
      const failure = asStorageError(error);
      if (isServerFault(failure.code)) report(failure.cause ?? failure);
      const response = dialect.renderError(failure, requestId);
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
      const finished = dialect.finish(headers, requestId);
      return { status: response.status, headers: finished, body: response.body, stallTimeout };
    };

    try {
      const headers = dialect.readHeaders(request.rawHeaders);
      const place = findPlace(request, headers, options, dialect);
      if (place === undefined) return undefined;
      const { bucket: bucketName = '' } = place;
      const bucket = bucketName === '' ? undefined : await findBucket(store, bucketName);
      const { headers: corsHeaders, rule } = await crossOrigin(store, bucket, method, headers);
      cors = corsHeaders;
      const target = readTarget(place);
      const { key = '', query } = target;
      operation = dispatch(method, target, headers);
      dialect.requireUnderstood(operation, query, headers);
      const page = changes(method)
        ? requireOwnSite(crossSiteRequests, { headers, ownHost: place.ownHost, rule })
        : undefined;
      const { action, body: structured, servesContent, slow } = operation;
      const length = announcedLength(headers);
      if (servesContent && !trustedContent) requireInactive(headers);
      if (action.permission !== 'NONE') {
        principal = await readPrincipal(request.principal);
        dialect.requireKnownSigner(query, principal);
        page?.requireOwner(bucket, principal, SYSTEM);
      }
      const leaving = slow ? untilAnswered(() => request.signal) : undefined;
      const application = {
        action,
        bucketName,
        bucket,
        key,
        requestId,
        principal,
        page,
        authorize,
        conventions: dialect.conventions,
        opensLate: false,
        trusted: false,
        announced: length,
        signal: leaving ? leaving.signal : () => request.signal,
      };
      const source: { -readonly [K in keyof InputSource]: InputSource[K] } = { query, headers };
      const { readInput } = operation;
      const call = await admit(store, application, async () => {
        if (structured !== undefined) {
          source.body = await structured.read(request, {
            ...terms,
            announced: length,
            headers,
            memory: store.jsonMemory,
            caller: callerId(principal),
          });
        } else if (action.takes === 'nothing' && changes(method)) {
          await requireNoBody(action.name, request, length, { headers, stallTimeout });
        }
        return readInput(source);
      });
      const asked = operation.readAsked(source);
      const takesBytes = action.takes === 'bytes';
      const body = takesBytes ? incoming(request, headers, length, stallTimeout) : NOTHING;
      if (servesContent) requireOwnOverrides(asked, principal, headers, trustedContent);
      const exposure = {
        trusted: trustedContent,
        shared: rule !== undefined,
        usable: servesContent && isUsable(headers),
        overrides: asked,
      };
      const url = () => `${place.bucketUrl()}/${encodeKey(key)}`;
      const work = carryOut(operation, call, body, { asked, url }, exposure);
      const answer = leaving
        ? await patiently(work.catch(failed), patience, dialect.earlyHeaders, leaving.answered)
        : await work;
      if (answer.body instanceof Readable) watch(answer.body, report);
      return answered(answer);
    } catch (error) {
      return answered(failed(error));
    }
  };
}

async function carryOut(
  operation: Operation,
  call: AdmittedCall,
  body: Body,
  about: { readonly asked: Readonly<Record<string, unknown>>; url(): string },
  exposure: Omit<Exposure, 'open'>,
): Promise<StorageResponse> {
  const { result, call: whole } = await run(operation.action, call, body);
  const { bucketName, key, input } = whole;
  const answered = { bucketName, key, input, body: whole.body, ...about };
  const response = operation.respond(result, answered);
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

/** A stream that the client left is no error; one that broke under us is. */
function watch(body: Readable, report: (error: unknown) => void): void {
  body.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') report(error);
  });
}
