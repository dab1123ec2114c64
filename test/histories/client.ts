import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, type RawAnswer, type RawOptions } from '../http/raw.js';
import type { Input, ObjectEvent, Output } from './objects.js';
import { bytesOf, contentOf, sizeOf } from './objects.js';

const BUCKET = '/storage/histories';

export interface RecorderOptions {
  /** How long a call may still take effect after its client gave up, in milliseconds. */
  readonly lasts?: number;
  /** Codes of failed calls, and what is known about their effect. */
  readonly failures?: Readonly<Record<string, 'unknown' | 'no effect'>>;
}

/** The calls and results of all clients, by key. */
export class Recorder {
  /** Responses that no history allows. */
  readonly unexpected: string[] = [];
  readonly #events = new Map<string, ObjectEvent[]>();
  readonly #lost: { key: string; input: Input; called: number; until: number }[] = [];
  readonly #lasts: number;
  readonly #failures: RecorderOptions['failures'];

  constructor({ lasts = Number.POSITIVE_INFINITY, failures = {} }: RecorderOptions = {}) {
    this.#lasts = lasts;
    this.#failures = failures;
  }

  effectOf(output: Output): 'unknown' | 'no effect' | undefined {
    return this.#failures?.[output];
  }

  add(key: string, event: ObjectEvent): void {
    const events = this.#events.get(key) ?? [];
    this.#events.set(key, events);
    events.push(event);
  }

  lose(key: string, input: Input, called: number): void {
    const until = performance.now() + this.#lasts;
    if (input.kind !== 'get') this.#lost.push({ key, input, called, until });
  }

  /** Calls without a response have taken effect by now, or never will. */
  serverIsGone(): void {
    this.#gone.push(performance.now());
  }
  readonly #gone: number[] = [];

  eventsOf(key: string): ObjectEvent[] {
    const lost = this.#lost
      .filter((event) => event.key === key)
      .map(({ input, called, until }): ObjectEvent => {
        const answered = this.#gone.find((gone) => gone > called) ?? until;
        return { input, called, output: undefined, answered };
      });
    return [...(this.#events.get(key) ?? []), ...lost];
  }
}

const codeOf = ({ status, text }: RawAnswer): string => {
  if (status < 300) return 'ok';
  return (JSON.parse(text || '{}') as { code?: string }).code ?? String(status);
};

/** Whether no client can have seen an effect of the call. */
const isRefused = (error: unknown): boolean => (error as { code?: string }).code === 'ECONNREFUSED';

const isGone = (error: unknown): boolean =>
  /ECONNREFUSED|ECONNRESET|EPIPE/.test((error as { code?: string }).code ?? '');

const pick = <T>(items: readonly T[]): T => items[Math.floor(Math.random() * items.length)] as T;

/** A client of the server. Each of its contents has a unique name. */
export class Client {
  readonly #name: string;
  readonly #keys: readonly string[];
  readonly #recorder: Recorder;
  readonly #server: () => Promise<string>;
  /** The last content that was seen under each key. */
  readonly #seen = new Map<string, string>();
  #last = 0;

  constructor(
    name: string,
    keys: readonly string[],
    recorder: Recorder,
    server: () => Promise<string>,
  ) {
    this.#name = name;
    this.#keys = keys;
    this.#recorder = recorder;
    this.#server = server;
  }

  async prepare(): Promise<void> {
    await call(await this.#server(), 'PUT', BUCKET);
  }

  async work(isOver: () => boolean): Promise<void> {
    const ways = [
      ...[this.#put, this.#append, this.#append, this.#append, this.#copy, this.#delete],
      ...[this.#moveIn, this.#moveAway, this.#complete, this.#create, this.get, this.get, this.get],
    ];
    while (!isOver()) await pick(ways).call(this, pick(this.#keys));
  }

  async get(key: string): Promise<void> {
    await this.#record(key, { kind: 'get' }, async () => {
      const answer = await this.#call('GET', key);
      if (answer.status !== 200) return codeOf(answer);
      const content = contentOf(answer.body);
      this.#seen.set(key, content);
      return `=${content}`;
    });
  }

  #put(key: string): Promise<void> {
    const content = this.#content();
    return this.#putting(key, content, () => this.#call('PUT', key, { body: bytesOf(content) }));
  }

  #create(key: string): Promise<void> {
    const content = this.#content(500);
    this.#seen.set(key, content);
    const send = () => this.#call('POST', `${key}?append`, { body: bytesOf(content) });
    return this.#putting(key, content, send, 'A');
  }

  async #append(key: string): Promise<void> {
    const content = this.#content(500);
    const before = this.#seen.get(key) ?? '';
    const offset = sizeOf(before);
    await this.#record(key, { kind: 'append', offset, content }, async () => {
      const target = `${key}?append&offset=${offset}`;
      const code = codeOf(await this.#call('POST', target, { body: bytesOf(content) }));
      if (code === 'ok') this.#seen.set(key, before + content);
      return code;
    });
    if (Math.random() < 0.3) await this.get(key);
  }

  async #delete(key: string): Promise<void> {
    await this.#record(key, { kind: 'delete' }, async () =>
      codeOf(await this.#call('DELETE', key)),
    );
  }

  async #copy(key: string): Promise<void> {
    const content = this.#content();
    const own = await this.#ownObject(content);
    if (own === undefined) return;
    const headers = { 'x-svc-copy-source': `/histories/${own}` };
    await this.#putting(key, content, () => this.#call('PUT', key, { headers }));
  }

  async #moveIn(key: string): Promise<void> {
    const content = this.#content();
    const own = await this.#ownObject(content);
    if (own === undefined) return;
    const headers = { 'x-svc-rename-key': own };
    await this.#putting(key, content, () => this.#call('POST', key, { headers }));
  }

  /** Renames the object to a key that only this client knows, and reads it there. */
  async #moveAway(key: string): Promise<void> {
    const own = this.#newName();
    await this.#record(key, { kind: 'move away' }, async () => {
      const headers = { 'x-svc-rename-key': key };
      const code = codeOf(await this.#call('POST', own, { headers }));
      if (code !== 'ok') return code;
      const found = await this.#call('GET', own).catch(() => undefined);
      return found?.status === 200 ? `=${contentOf(found.body)}` : 'ok';
    });
  }

  async #complete(key: string): Promise<void> {
    const content = this.#content();
    const body = bytesOf(content);
    try {
      const { text } = await this.#call('POST', `${key}?uploads`);
      const { uploadId } = JSON.parse(text) as { uploadId?: string };
      if (uploadId === undefined) return;
      const part = `${key}?partNumber=1&uploadId=${uploadId}`;
      if ((await this.#call('PUT', part, { body })).status !== 200) return;
      const eTag = createHash('md5').update(body).digest('hex');
      const list = JSON.stringify({ parts: [{ partNumber: 1, eTag }] });
      const send = () => this.#call('POST', `${key}?uploadId=${uploadId}`, { body: list });
      await this.#putting(key, content, send);
    } catch {
      await sleep(20); // The server ended before it sent a response.
    }
  }

  async #ownObject(content: string): Promise<string | undefined> {
    const own = this.#newName();
    try {
      const { status } = await this.#call('PUT', own, { body: bytesOf(content) });
      return status === 200 ? own : undefined;
    } catch {
      return undefined;
    }
  }

  #putting(key: string, content: string, send: () => Promise<RawAnswer>, type: 'N' | 'A' = 'N') {
    return this.#record(key, { kind: 'put', type, content }, async () => codeOf(await send()));
  }

  async #record(key: string, input: Input, work: () => Promise<Output>): Promise<void> {
    const called = performance.now();
    let output: Output;
    try {
      output = await work();
    } catch (error) {
      if (!isGone(error)) this.#recorder.unexpected.push(`${input.kind} ${key}: ${error}`);
      if (!isRefused(error)) this.#recorder.lose(key, input, called);
      await sleep(20);
      return;
    }
    const effect = this.#recorder.effectOf(output);
    if (effect !== undefined) {
      if (effect === 'unknown') this.#recorder.lose(key, input, called);
      await sleep(20);
      return;
    }
    const known = /^(ok|=|NoSuchKey|ObjectUnappendable|OffsetIncorrect)/.test(output);
    if (!known) this.#recorder.unexpected.push(`${input.kind} ${key}: ${output}`);
    this.#recorder.add(key, { input, output, called, answered: performance.now() });
  }

  async #call(method: string, target: string, options?: RawOptions): Promise<RawAnswer> {
    return call(await this.#server(), method, `${BUCKET}/${target}`, options);
  }

  /** Some contents are small enough for a record. Others are stored in files. */
  #content(largest = 90_000): string {
    const size = Math.random() < 0.5 ? 40 : 40 + Math.floor(Math.random() * largest);
    return `${this.#newName()}.${size};`;
  }

  #newName(): string {
    return `${this.#name}-${++this.#last}`;
  }
}
