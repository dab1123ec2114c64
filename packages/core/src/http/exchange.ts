import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type AdmittedCall, admit, callerId } from '../actions/call.js';
import { readPrincipal, SYSTEM } from '../engine/access/principal.js';
import { readSubject } from '../engine/buckets/subject.js';
import { MemoryShare } from '../engine/concurrency/memory-share.js';
import { type Body, NOTHING } from '../engine/content/receive.js';
import { asStorageError, isServerFault } from '../errors.js';
import { changes } from './allow-list.js';
import { announcedLength, incoming, requireNoBody } from './body.js';
import { isUsable, requireInactive, requireOwnOverrides } from './content-headers.js';
import { type CrossOrigin, crossOrigin, NO_RULES } from './cors.js';
import { counted } from './counted-answer.js';
import {
  type ForeignPage,
  type Login,
  mayShowLogin,
  requireOwnSite,
  type Sender,
} from './cross-site.js';
import type { Identified } from './dialect.js';
import type { HandlerContext } from './handler-context.js';
import type { RequestHeaders } from './headers.js';
import { identify } from './identify.js';
import type { StorageRequest, StorageResponse } from './message.js';
import type { Operation } from './operation.js';
import { perform } from './perform.js';
import { addPolicies } from './response-policy.js';
import { patiently, untilAnswered } from './slow-answer.js';
import { encodeKey, findPlace, type Place, readTarget } from './target.js';
import type { Understood } from './understood-request.js';

/** One request and its response: from the raw request to the operation, and back. */
export class Exchange {
  readonly #context: HandlerContext;
  readonly #request: StorageRequest;
  readonly #requestId = randomUUID();
  #headers: RequestHeaders | undefined;
  #bucketName = '';
  #operation: Operation | undefined;
  #identified: Identified = { principal: undefined };
  /** An error that was found before the caller was identified reveals nothing about a login. */
  #showsLogin = true;
  #isPrivate = false;
  /** That of a structured body. */
  #memory: MemoryShare | undefined;
  /** Undefined until the bucket has been read. */
  #cors: CrossOrigin | undefined;

  constructor(context: HandlerContext, request: StorageRequest) {
    this.#context = context;
    this.#request = request;
  }

  /** Undefined: the request is not for the storage. */
  async answer(): Promise<StorageResponse | undefined> {
    try {
      const { dialect, place: options } = this.#context;
      const headers = dialect.readHeaders(this.#request.rawHeaders);
      this.#headers = headers;
      const place = findPlace(this.#request, headers, options, dialect);
      if (place === undefined) return undefined;
      this.#bucketName = place.bucket ?? '';
      return this.#answered(await this.#carryOut(await this.#understand(headers, place)));
    } catch (error) {
      return this.#answered(await this.#failed(error));
    } finally {
      this.#memory?.release();
    }
  }

  async #understand(sent: RequestHeaders, place: Place): Promise<Understood> {
    const { store, dialect, dispatch } = this.#context;
    const { method, rawHeaders } = this.#request;
    const found = readTarget(place);
    const unfolded = dialect.unfold?.(rawHeaders, found.query);
    const headers = unfolded?.headers ?? sent;
    const target = unfolded === undefined ? found : { ...found, query: unfolded.query };
    const operation = dispatch(method, target, headers);
    this.#operation = operation;
    dialect.requireUnderstood(operation, target.query, headers);
    const key = operation.action.usesObject === true ? target.key : undefined;
    const name = this.#bucketName;
    const subject = name === '' ? undefined : await readSubject(store, name, key);
    const { tellsCorsMethods } = dialect.conventions;
    const cors = crossOrigin(store, subject?.bucket, method, headers, tellsCorsMethods);
    this.#cors = cors instanceof Promise ? await cors : cors;
    const owner = subject?.bucket?.record.owner;
    return { headers, place, target, operation, subject, owner };
  }

  async #carryOut(understood: Understood): Promise<StorageResponse> {
    const { headers, place, target, operation, subject } = understood;
    const { store, dialect, trustedContent, crossSiteRequests } = this.#context;
    const { bodyTimes, structuredTimes } = this.#context;
    const request = this.#request;
    const { action, body: structured, servesContent, slow } = operation;
    const { query } = target;
    const changing = changes(request.method);
    const { ownHost } = place;
    const sender: Sender = { headers, isSigned: false, ownHost, rule: this.#cors?.rule };
    const asksPage = changing && !operation.loginInBody;
    const page = asksPage ? requireOwnSite(crossSiteRequests, sender) : undefined;
    const contentLength = announcedLength(headers);
    if (servesContent && !trustedContent) requireInactive(headers);
    if (action.permission !== 'NONE') await this.#identify(understood, sender, page);
    const { principal, body: verified, fields, bySignedUrl } = this.#identified;
    const sent = verified ?? request.body;
    const announced = verified === undefined ? contentLength : this.#identified.length;
    const leaving = slow ? untilAnswered(() => request.signal) : undefined;
    const application = {
      action,
      bucketName: this.#bucketName,
      subject,
      key: this.#identified.key ?? target.key ?? '',
      requestId: this.#requestId,
      principal,
      page,
      authorize: this.#context.authorize,
      conventions: dialect.conventions,
      opensLate: false,
      trusted: false,
      announced,
      signal: leaving ? leaving.signal : () => request.signal,
    };
    const source = { query, headers, bucket: this.#bucketName, body: fields };
    const takesBytes = action.takes === 'bytes';
    const how = { headers, length: announced, times: bodyTimes };
    const call = await admit(store, application, async () => {
      if (structured !== undefined) {
        this.#memory = new MemoryShare(store.jsonMemory, callerId(principal));
        const terms = { announced, headers, times: structuredTimes, memory: this.#memory };
        source.body = await structured.read(sent, terms);
      } else if (changing && !takesBytes) await requireNoBody(action.name, sent, how);
      return operation.readInput(source);
    });
    const asked = operation.readAsked(source);
    if (servesContent) {
      const trust = { trusted: trustedContent, bySignedUrl };
      requireOwnOverrides(asked, principal, headers, trust);
    }
    const body = takesBytes ? incoming(sent, request, how) : NOTHING;
    const work = this.#perform(understood, call, body, asked);
    const answer = leaving
      ? await patiently(
          work.catch((error: unknown) => this.#failed(error)),
          this.#context.patience,
          dialect.earlyHeaders,
          leaving.answered,
        )
      : await work;
    if (answer.body instanceof Readable) this.#watch(answer.body);
    if (servesContent) return answer;
    return counted(answer, store.jsonMemory, () => callerId(principal), changing);
  }

  async #identify(
    { headers, operation, place, target, subject, owner }: Understood,
    sender: Login,
    page: ForeignPage | undefined,
  ): Promise<void> {
    const { store, dialect, crossSiteRequests, authorize, loginFirst } = this.#context;
    this.#showsLogin = false;
    const request = this.#request;
    const about = {
      request,
      operation,
      headers,
      query: target.query,
      bucket: this.#bucketName,
      key: target.key ?? '',
      owner,
      sentTo: place.sentTo,
      times: this.#context.structuredTimes,
      now: store.now,
    };
    const login = () => readPrincipal(request.principal);
    this.#identified = await identify(dialect, about, login, loginFirst);
    const { principal, bySignedUrl = false } = this.#identified;
    // The host's rule may let in an anonymous caller for reasons that only the host knows.
    this.#isPrivate = principal !== undefined || authorize !== undefined;
    const visitor = { bucket: subject?.bucket, principal, host: SYSTEM };
    sender.isSigned = bySignedUrl;
    this.#showsLogin = mayShowLogin(crossSiteRequests, sender, visitor);
    page?.requireOwner(visitor.bucket, principal, SYSTEM);
  }

  #perform(
    { headers, place, operation, owner }: Understood,
    call: AdmittedCall,
    body: Body,
    asked: Readonly<Record<string, unknown>>,
  ): Promise<StorageResponse> {
    const about = {
      principal: this.#identified.principal,
      owner,
      url: () => `${place.bucketUrl()}/${encodeKey(call.key)}`,
    };
    const serving = {
      trusted: this.#context.trustedContent,
      shared: this.#cors?.rule !== undefined,
      usable: isUsable(headers),
    };
    return perform({ operation, call, body, asked, about, serving });
  }

  async #failed(error: unknown): Promise<StorageResponse> {
    const failure = asStorageError(error);
    await this.#identified.discard?.();
    if (isServerFault(failure.code)) this.#report(failure.cause ?? failure);
    else if (this.#cors === undefined && this.#bucketName !== '') await this.#readCors();
    const response = this.#context.dialect.renderError(failure, this.#requestId);
    return this.#request.method === 'HEAD' ? { ...response, body: '' } : response;
  }

  /** A page may read errors too, even those that occurred before the bucket was read. */
  async #readCors(): Promise<void> {
    const { store } = this.#context;
    try {
      const { bucket } = await readSubject(store, this.#bucketName);
      const headers = this.#headers as RequestHeaders;
      const { tellsCorsMethods: tells } = this.#context.dialect.conventions;
      this.#cors = await crossOrigin(store, bucket, this.#request.method, headers, tells);
    } catch (error) {
      this.#report(error); // The first failure is the one to answer.
    }
  }

  #answered({ status, headers: own, body }: StorageResponse): StorageResponse {
    // Adds to the response's own headers: copying them would cost more than everything else here.
    const headers = own as Record<string, string>;
    const cors = this.#cors ?? NO_RULES;
    addPolicies(headers, { cors, showsLogin: this.#showsLogin, isPrivate: this.#isPrivate });
    const { dialect, stallTimeout } = this.#context;
    return { status, headers: dialect.finish(headers, this.#requestId), body, stallTimeout };
  }

  #report(error: unknown): void {
    const { method } = this.#request;
    const operation = this.#operation?.action.name;
    this.#context.onError(error, { requestId: this.#requestId, method, operation });
  }

  /** It is not an error when the client disconnects, but it is one when the stream itself fails. */
  #watch(body: Readable): void {
    body.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') this.#report(error);
    });
  }
}
