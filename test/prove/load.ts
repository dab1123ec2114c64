import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesOf, contentOf, sizeOf } from '../histories/objects.js';
import { type RawAnswer, type RawOptions, call as send } from '../http/raw.js';
import type { Random } from '../simulator/random.js';

const BUCKET = '/storage/proof';
export const PROOF_BUCKET = 'proof';
const ABSENT = '-';
const TIMEOUT = 8000;

/** A call without a response. */
export class NoAnswer extends Error {}

/** Calls the server like a client with a timeout. */
async function call(origin: string, method: string, path: string, options?: RawOptions) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`${method} ${path}: no answer`)), TIMEOUT);
  });
  const answer = send(origin, method, path, options);
  answer.catch(() => {});
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** All states of a key, in order. Each key has one client, which makes one call at a time. */
interface Log {
  readonly states: string[];
  /** The last acknowledged state. */
  answered: number;
}

/** Which states of each key may be found. */
export type Bounds = ReadonlyMap<string, { readonly from: number; readonly to: number }>;

/** Clients that keep a server busy and remember its responses. */
export class Load {
  /** How many calls succeeded. */
  acknowledged = 0;
  /** Unexpected responses, by status. */
  readonly refusals = new Map<number, number>();
  readonly #logs = new Map<string, Log>();
  readonly #random: Random;
  #last = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  async prepare(origin: string): Promise<void> {
    const { status } = await call(origin, 'PUT', BUCKET);
    if (status !== 200 && status !== 409) throw new Error(`PutBucket answered ${status}.`);
  }

  /** Runs clients until `isOver` returns true or the server is gone. */
  async run(origin: string, clients: number, isOver: () => boolean): Promise<void> {
    const client = async (name: string) => {
      while (!isOver()) {
        const key = `${name}/${this.#random.below(4)}`;
        try {
          await this.one(origin, key);
        } catch {
          return; // The server is gone, so there is no response.
        }
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, index) => client(`k${index}`)));
  }

  /** Makes one call on one key. Returns the status of the last response. */
  async one(origin: string, key: string): Promise<number> {
    const log = this.#log(key);
    if (log.answered < log.states.length - 1) await this.#look(origin, key);
    const before = log.states.at(-1) as string;
    const dice = this.#random.below(10);
    const name = `${key.replace('/', '-')}-${++this.#last}`;
    const size =
      dice % 2 === 0 ? 60 + this.#random.below(200) : 66_000 + this.#random.below(60_000);
    const piece = `${name}.${size};`;
    const body = bytesOf(piece);
    const target = `${BUCKET}/${key}`;
    if (dice < 4)
      return this.#change(log, `N${piece}`, () => call(origin, 'PUT', target, { body }));
    if (dice < 6 || (dice < 8 && !before.startsWith('A'))) {
      return this.#change(log, `A${piece}`, () =>
        call(origin, 'POST', `${target}?append`, { body }),
      );
    }
    if (dice < 8) {
      const append = `${target}?append&offset=${sizeOf(before.slice(1))}`;
      return this.#change(log, before + piece, () => call(origin, 'POST', append, { body }));
    }
    if (dice < 9) return this.#upload(origin, target, log, piece);
    if (before === ABSENT) return 204;
    return this.#change(log, ABSENT, () => call(origin, 'DELETE', target));
  }

  /**
   * What has been acknowledged by now must exist. What has begun by a later call of `bounds` may
   * exist.
   */
  answeredNow(): ReadonlyMap<string, number> {
    return new Map([...this.#logs].map(([key, { answered }]) => [key, answered]));
  }

  bounds(answered: ReadonlyMap<string, number>): Bounds {
    return new Map(
      [...this.#logs].map(([key, { states }]) => {
        return [key, { from: answered.get(key) ?? 0, to: states.length - 1 }];
      }),
    );
  }

  /** What is wrong with a store: the keys that have none of the allowed states. */
  async faults(
    bounds: Bounds,
    read: (key: string) => Promise<Buffer | undefined>,
  ): Promise<string[]> {
    const faults: string[] = [];
    for (const [key, { from, to }] of bounds) {
      const bytes = await read(key).catch((error: Error) => Buffer.from(`${error.message} `));
      const found = bytes === undefined ? undefined : contentOf(bytes);
      const { states } = this.#log(key);
      const possible = states
        .slice(from, to + 1)
        .map((state) => (state === ABSENT ? undefined : state.slice(1)));
      if (!possible.includes(found)) {
        faults.push(`${key} is ${found ?? 'absent'}, not ${possible.slice(0, 3).join(' or ')}`);
      }
    }
    return faults;
  }

  async #upload(origin: string, target: string, log: Log, piece: string): Promise<number> {
    const body = bytesOf(piece);
    const { status, text } = await call(origin, 'POST', `${target}?uploads`);
    if (status !== 200) return this.#refused(status);
    const { uploadId } = JSON.parse(text) as { uploadId: string };
    const part = await call(origin, 'PUT', `${target}?partNumber=1&uploadId=${uploadId}`, { body });
    if (part.status !== 200) return this.#refused(part.status);
    const eTag = createHash('md5').update(body).digest('hex');
    const list: RawOptions = { body: JSON.stringify({ parts: [{ partNumber: 1, eTag }] }) };
    return this.#change(log, `N${piece}`, () =>
      call(origin, 'POST', `${target}?uploadId=${uploadId}`, list),
    );
  }

  async #change(log: Log, state: string, change: () => Promise<RawAnswer>): Promise<number> {
    const index = log.states.push(state) - 1;
    const { status } = await change();
    if (status >= 300) return this.#refused(status);
    log.answered = index;
    this.acknowledged++;
    return status;
  }

  /** After a failure, the state is unknown until it is read. */
  async #look(origin: string, key: string): Promise<void> {
    const log = this.#log(key);
    for (let attempt = 0; ; attempt++) {
      const { status, body } = await call(origin, 'GET', `${BUCKET}/${key}`);
      if (status >= 500 && attempt < 3) {
        await sleep(50);
        continue;
      }
      const found = status === 200 ? contentOf(body) : undefined;
      const states = log.states.slice(log.answered);
      const state = states.find((one) => (one === ABSENT ? undefined : one.slice(1)) === found);
      if (state === undefined) throw new Error(`${key} is ${status} ${found}`);
      log.answered = log.states.push(state) - 1;
      return;
    }
  }

  #refused(status: number): number {
    this.refusals.set(status, (this.refusals.get(status) ?? 0) + 1);
    return status;
  }

  #log(key: string): Log {
    const log = this.#logs.get(key) ?? { states: [ABSENT], answered: 0 };
    this.#logs.set(key, log);
    return log;
  }
}
