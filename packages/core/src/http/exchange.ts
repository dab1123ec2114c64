import { Readable } from 'node:stream';
import { type AdmittedCall, admit } from '../actions/call.js';
import { readPrincipal, SYSTEM } from '../engine/access/principal.js';
import { readSubject } from '../engine/buckets/subject.js';
import { callerId } from '../engine/concurrency/caller-id.js';
import { MemoryShare, tooMuchMemory } from '../engine/concurrency/memory-share.js';
import { type Body, NOTHING } from '../engine/content/receive.js';
import { clientGone } from '../errors.js';
import { afterPoll } from './after-poll.js';
import { changes } from './allow-list.js';
import { announcedLength, incoming, requireNoBody } from './body.js';
import {
  isFromBrowser,
  isUsable,
  requireInactive,
  requireOwnOverrides,
} from './content-headers.js';
import { crossOrigin } from './cors.js';
import { counted } from './counted-answer.js';
import {
  type ForeignPage,
  type Login,
  mayShowLogin,
  requireOwnSite,
  type Sender,
} from './cross-site.js';
import type { HandlerContext } from './handler-context.js';
import { turnsForHead } from './head-size.js';
import type { RequestHeaders } from './headers.js';
import { identify } from './identify.js';
import type { StorageRequest, StorageResponse } from './message.js';
import { perform } from './perform.js';
import { Reply } from './reply.js';
import { untilAnswered, withKeepAlive } from './slow-answer.js';
import { encodeKey, findPlace, type Place, readTarget } from './target.js';
import type { Understood } from './understood-request.js';

/** One request and its response: from the raw request to the operation, and back. */
export class Exchange {
  /** The response as it is built, and what is known about it. */
  readonly #reply: Reply;
  readonly #context: HandlerContext;
  readonly #request: StorageRequest;
  /** The memory of a structured body. */
  #memory: MemoryShare | undefined;
  /** The memory of a response that is counted before it exists. */
  #reserved: MemoryShare | undefined;

  constructor(context: HandlerContext, request: StorageRequest) {
    this.#reply = new Reply(context, request);
    this.#context = context;
    this.#request = request;
  }

  /** Resolves to `undefined` if the request is not for the storage. */
  async answer(): Promise<StorageResponse | undefined> {
    try {
      const { dialect, place: options } = this.#context;
      const headers = dialect.readHeaders(this.#request.rawHeaders);
      this.#reply.headers = headers;
      const place = findPlace(this.#request, headers, options, dialect);
      if (place === undefined) return undefined;
      await afterPoll();
      this.#requireClient();
      this.#reply.bucketName = place.bucket ?? '';
      return this.#reply.finished(await this.#carryOut(await this.#understand(headers, place)));
    } catch (error) {
      return this.#reply.finished(await this.#reply.failed(error));
    } finally {
      this.#memory?.release();
      this.#reserved?.release();
    }
  }

  async #understand(sent: RequestHeaders, place: Place): Promise<Understood> {
    const { store, dialect, dispatch } = this.#context;
    const { method, rawHeaders } = this.#request;
    const found = readTarget(place);
    const unfolded = dialect.unfold?.(rawHeaders, found.query);
    const headers = unfolded?.headers ?? sent;
    const target = unfolded === undefined ? found : { ...found, query: unfolded.query };
    this.#reply.key = target.key ?? '';
    const operation = dispatch(method, target, headers);
    this.#reply.operation = operation;
    this.#reply.begin();
    // Lists in a long head take milliseconds to read, which must not block other requests.
    const yieldIfDue = turnsForHead(this.#request);
    const turn = yieldIfDue();
    if (turn !== undefined) await turn;
    dialect.requireUnderstood(operation, target.query, headers);
    const key = operation.action.usesObject === true ? target.key : undefined;
    const name = this.#reply.bucketName;
    const signal = () => this.#request.signal;
    const subject = name === '' ? undefined : await readSubject(store, name, key, signal);
    const { listsCorsMethods } = dialect.conventions;
    const asked = { method, headers, signal };
    const cors = crossOrigin(store, subject?.bucket, asked, listsCorsMethods);
    this.#reply.cors = cors instanceof Promise ? await cors : cors;
    this.#requireClient();
    const owner = subject?.bucket?.record.owner;
    return { headers, yieldIfDue, place, target, operation, subject, owner };
  }

  async #carryOut(understood: Understood): Promise<StorageResponse> {
    const { headers, yieldIfDue, place, target, operation, subject } = understood;
    const { store, dialect, trustedContent, crossSiteRequests } = this.#context;
    const { bodyTimes, structuredTimes } = this.#context;
    const request = this.#request;
    const { action, body: structured, servesContent, slow, responseSize } = operation;
    const { query } = target;
    const changing = changes(request.method);
    const { ownHost } = place;
    const sender: Sender = { headers, isSigned: false, ownHost, rule: this.#reply.cors?.rule };
    const asksPage = changing && !operation.loginInBody;
    let page = asksPage ? requireOwnSite(crossSiteRequests, sender) : undefined;
    const contentLength = announcedLength(headers);
    if (servesContent && !trustedContent) requireInactive(headers);
    if (action.permission !== 'NONE') await this.#identify(understood, sender, page);
    this.#requireClient();
    const { principal, body: verified, fields, bySignedUrl } = this.#reply.identified;
    // An unsigned form is like any other request of an anonymous caller.
    if (changing && !asksPage && !principal) page = requireOwnSite(crossSiteRequests, sender);
    const sent = verified ?? request.body;
    const announced = verified === undefined ? contentLength : this.#reply.identified.length;
    const leaving = slow ? untilAnswered(() => request.signal) : undefined;
    const application = {
      action,
      bucketName: this.#reply.bucketName,
      subject,
      key: this.#reply.identified.key ?? target.key ?? '',
      requestId: this.#reply.requestId,
      principal,
      page,
      authorize: this.#context.authorize,
      conventions: dialect.conventions,
      opensLate: false,
      trusted: false,
      announced,
      reserve: responseSize && ((input: object) => this.#reserve(responseSize(input as never))),
      signal: leaving ? leaving.signal : () => request.signal,
    };
    const source = { query, headers, bucket: this.#reply.bucketName, body: fields };
    const takesBytes = action.takes === 'bytes';
    const how = { headers, length: announced, times: bodyTimes };
    const call = await admit(store, application, async () => {
      if (structured !== undefined) {
        this.#memory = new MemoryShare(store.jsonMemory, callerId(principal));
        const terms = { announced, headers, times: structuredTimes, memory: this.#memory };
        source.body = await structured.read(sent, terms);
      } else if (changing && !takesBytes) await requireNoBody(action.name, sent, how);
      const turn = yieldIfDue();
      if (turn !== undefined) await turn;
      return operation.readInput(source);
    });
    this.#requireClient();
    const responseInput = operation.readResponseInput(source);
    if (servesContent) {
      const trust = { trusted: trustedContent, bySignedUrl };
      requireOwnOverrides(responseInput, principal, headers, trust);
    }
    const body = takesBytes ? incoming(sent, request, how) : NOTHING;
    const work = this.#perform(understood, call, body, responseInput);
    const answer = leaving
      ? await withKeepAlive(
          work.catch((error: unknown) => this.#reply.failed(error)),
          this.#context.patience,
          dialect.earlyHeaders,
          leaving.answered,
        )
      : await work;
    if (answer.body instanceof Readable) this.#reply.watch(answer.body);
    if (servesContent) return answer;
    this.#reserved?.release(); // Now its size is known.
    return counted(answer, store.responseMemory, () => callerId(principal), changing);
  }

  /** Nothing has changed yet. Without this, clients could send many requests and cancel them. */
  #requireClient(): void {
    if (this.#request.isGone?.()) throw clientGone();
  }

  async #identify(
    { headers, yieldIfDue, operation, place, target, subject, owner }: Understood,
    sender: Login,
    page: ForeignPage | undefined,
  ): Promise<void> {
    const { store, dialect, crossSiteRequests, authorize, loginFirst } = this.#context;
    this.#reply.showsLogin = false;
    const request = this.#request;
    const about = {
      request,
      operation,
      headers,
      yieldIfDue,
      query: target.query,
      bucket: this.#reply.bucketName,
      key: target.key ?? '',
      owner,
      sentTo: place.sentTo,
      times: this.#context.structuredTimes,
      now: store.now,
    };
    const login = () => readPrincipal(request.principal);
    this.#reply.identified = await identify(dialect, about, login, loginFirst);
    const { principal, bySignedUrl = false } = this.#reply.identified;
    // The app's own rule may admit an anonymous caller for reasons that only the app knows.
    this.#reply.isPrivate = principal !== undefined || authorize !== undefined;
    const visitor = { bucket: subject?.bucket, principal, host: SYSTEM };
    sender.isSigned = bySignedUrl;
    this.#reply.showsLogin = mayShowLogin(crossSiteRequests, sender, visitor);
    page?.requireOwner(visitor.bucket, principal, SYSTEM);
  }

  #reserve(bytes: number): void {
    const { responseMemory } = this.#context.store;
    this.#reserved = new MemoryShare(responseMemory, callerId(this.#reply.identified.principal));
    if (!this.#reserved.takeFirst(bytes)) throw tooMuchMemory('responses');
  }

  #perform(
    { headers, place, operation, owner }: Understood,
    call: AdmittedCall,
    body: Body,
    responseInput: Readonly<Record<string, unknown>>,
  ): Promise<StorageResponse> {
    const about = {
      principal: this.#reply.identified.principal,
      owner,
      url: () => `${place.bucketUrl()}/${encodeKey(call.key)}`,
    };
    const serving = {
      trusted: this.#context.trustedContent,
      shared: this.#reply.cors?.rule !== undefined,
      usable: isUsable(headers),
      fromBrowser: isFromBrowser(headers),
    };
    return perform({ operation, call, body, responseInput, about, serving });
  }
}
