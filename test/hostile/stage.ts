import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccessQuestion, HandlerOptions, ObjectStorage } from '@bucketware/core';
import { openStorage } from '@bucketware/storage';
import type { ExecutionContext } from 'ava';
import { carriers } from '../http/carriers.js';
import { dial } from '../http/raw.js';
import { alice, bob, listen, memoryStorage } from '../http/servers.js';
import { VAULT } from './corpus.js';
import { type Answer, faultOf, parseAnswer } from './scan.js';

export const BASE_HOST = 'objects.test';

/** Each framework with data on a real disk, where a key could become a path. */
export const ON_DISK = [
  ['Koa', 'koa', true],
  ['Express', 'express5', true],
] as const;
export const IN_MEMORY = [
  ['Koa', 'koa', false],
  ['Express', 'express5', false],
] as const;

export interface Sent {
  readonly as?: 'alice' | 'bob' | '';
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
}

export interface Stage {
  readonly storage: ObjectStorage;
  readonly origin: string;
  /** Sends a complete request whose path is not changed. */
  send(method: string, path: string, sent?: Sent): Promise<Answer>;
  /** Sends header lines and a body unchanged, after the first lines of a request by alice. */
  write(method: string, path: string, lines: readonly string[], body?: string): Promise<Answer>;
  /** Returns the calls of `authorize` since the last call of this function. */
  takeQuestions(): AccessQuestion[];
  /** The errors that `onError` received. */
  readonly failures: unknown[];
  /**
   * Asserts that nothing failed and that no file outside the storage changed, and closes the
   * server.
   */
  seal(): Promise<void>;
}

/**
 * A server with three buckets: `bucket` and `other` belong to alice, and the vault to bob. The
 * storage is deep in a directory whose other files must never change.
 */
export async function stage(
  t: ExecutionContext,
  carrier: 'koa' | 'express5',
  onDisk: boolean,
  options: HandlerOptions = {},
): Promise<Stage> {
  const parent = await mkdtemp(join(tmpdir(), 'hostile-'));
  const directory = join(parent, 'one', 'two', 'store');
  await mkdir(join(parent, 'one', 'two'), { recursive: true });
  for (const path of ['passwd', 'one/secret', 'one/two/secret']) {
    await writeFile(join(parent, path), VAULT.body);
  }
  const failures: unknown[] = [];
  const questions: AccessQuestion[] = [];
  const settings = {
    sweepEvery: false as const,
    onError: (error: unknown) => failures.push(error),
  };
  const storage = onDisk
    ? await openStorage({ directory, durability: 'relaxed', ...settings })
    : await memoryStorage(settings);
  const authorize = (question: AccessQuestion) => {
    questions.push(question);
    return options.authorize?.(question) ?? question.allowed;
  };
  const all: HandlerOptions = { baseHost: BASE_HOST, ...options, authorize };
  const running = await listen(carriers[carrier](storage, all));
  const agent = new Agent({ keepAlive: true, maxSockets: 24 });
  for (const bucket of ['bucket', 'other']) await storage.as(alice).putBucket({ bucket });
  await storage.as(bob).putBucket({ bucket: VAULT.bucket });
  await storage.as(bob).putObject(VAULT);

  const faults: string[] = [];
  let answers = 0;
  const heard = (what: string, answer: Answer): Answer => {
    answers++;
    const fault = faultOf(answer, [parent, process.cwd(), VAULT.body, 'Bearer']);
    if (fault !== undefined) faults.push(`${what}: ${fault}`);
    return answer;
  };
  const { port } = new URL(running.origin);
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    agent.destroy();
    await running.close();
    await storage.close();
  };
  t.teardown(async () => {
    await close();
    await rm(parent, { recursive: true });
  });

  return {
    storage,
    origin: running.origin,
    failures,
    takeQuestions: () => questions.splice(0),
    async send(method, path, { as = 'alice', headers, body } = {}) {
      const target = { agent, port, method, path };
      const answer = await persistently(() => exchange(target, as, headers, body));
      return heard(`${method} ${path} ${JSON.stringify(headers ?? {})}`.slice(0, 300), answer);
    },
    async write(method, path, lines, body = '') {
      const socket = await dial(running.origin);
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      const ended = new Promise((resolve) => socket.once('close', resolve));
      const first = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
      const head = `${first}Authorization: Bearer alice\r\n${lines.map((line) => `${line}\r\n`).join('')}`;
      socket.write(Buffer.from(`${head}\r\n${body}`, 'latin1'));
      await ended;
      const answer = parseAnswer(method, Buffer.concat(chunks));
      return heard(`${method} ${path} ${JSON.stringify(lines)}`.slice(0, 300), answer);
    },
    async seal() {
      const vault = await storage.getObject({ bucket: VAULT.bucket, key: VAULT.key });
      t.is((await vault.bytes()).toString(), VAULT.body, 'the vault was changed');
      await close();
      t.true(answers > 0);
      t.deepEqual(faults.slice(0, 10), [], `${faults.length} of ${answers} answers`);
      t.deepEqual(failures, [], 'failures that are not the client’s');
      t.is(({} as Record<string, unknown>).polluted, undefined);
      await proveUnchanged(t, parent, onDisk);
    },
  };
}

/** Names of files that drivers choose. None contains text from a user. */
const OWN =
  /^one\/two\/store\/(blobs\/([0-9a-f]{2}\/[0-9a-f]{32}|storage\.json)|records\/(gate\/(committing|opening)\/)?(data|lock)\.mdb)$/;

async function proveUnchanged(t: ExecutionContext, parent: string, onDisk: boolean): Promise<void> {
  const found = await readdir(parent, { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(parent.length + 1));
  const outside = files.filter((path) => !OWN.test(path)).sort();
  t.deepEqual(outside, ['one/secret', 'one/two/secret', 'passwd'], 'files outside the storage');
  for (const path of outside) t.is(await readFile(join(parent, path), 'utf8'), VAULT.body);
  if (onDisk) t.true(files.some((path) => path.endsWith('data.mdb')));
}

/**
 * A server may close an idle connection, or one whose upload it has rejected, just when the next
 * request is written to it. A robust client then repeats the request.
 */
async function persistently(ask: () => Promise<Answer>): Promise<Answer> {
  for (let left = 4; ; left--) {
    try {
      return await ask();
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (left === 0 || !['ECONNRESET', 'EPIPE'].includes(code)) throw error;
    }
  }
}

function exchange(
  target: { agent: Agent; port: string; method: string; path: string },
  as: string,
  headers: OutgoingHttpHeaders = {},
  body?: string | Uint8Array,
): Promise<Answer> {
  const authorization = as === '' ? {} : { authorization: `Bearer ${as}` };
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const framed = bytes === undefined || 'transfer-encoding' in headers;
  const length = framed ? {} : { 'content-length': bytes.length };
  return new Promise((resolve, reject) => {
    const all = { ...authorization, ...length, ...headers };
    const req = request({ host: '127.0.0.1', ...target, headers: all }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const { statusCode: status = 0, rawHeaders } = res;
        resolve({ method: target.method, status, rawHeaders, body: Buffer.concat(chunks) });
      });
    });
    req.on('error', reject);
    req.end(bytes);
  });
}
