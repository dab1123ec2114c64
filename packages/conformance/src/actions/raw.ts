import assert from 'node:assert/strict';
import type { ErrorCode } from '@bucketware/core';
import type { Answer } from '../http/answer.js';
import { dial, type Wire } from '../http/wire.js';
import type { DialectClient } from './client.js';
import type { Failure } from './failure.js';
import type { PutOptions } from './values.js';

/** The first lines of a request, to which headers can be added, and where to send it. */
export interface Opening {
  readonly origin: string;
  readonly lines: string;
}

/** The opening of an action's request, without the blank line and without a length. */
export async function openingOf(
  client: DialectClient,
  action: (client: DialectClient) => Promise<unknown>,
): Promise<Opening> {
  const { origin, method, path, headers = {} } = await client.spell(action);
  const { host } = new URL(origin);
  const fields = Object.entries({ host, connection: 'close', ...headers });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return { origin, lines: `${method} ${path} HTTP/1.1\r\n${lines}` };
}

/** The opening of a PutObject request. */
export const putOpening = (
  client: DialectClient,
  bucket: string,
  key: string,
  options?: PutOptions,
): Promise<Opening> => openingOf(client, (one) => one.putObject(bucket, key, '', options));

/** Opens a connection and writes the opening and the text after it. */
export async function write(
  { origin, lines }: Opening,
  ...rest: readonly (string | Uint8Array)[]
): Promise<Wire> {
  const wire = await dial(origin);
  await wire.write(lines);
  for (const bytes of rest) await wire.write(bytes);
  return wire;
}

/** Asserts that there was a response, and that it is this error. */
export function refused(
  client: DialectClient,
  answer: Answer | undefined,
  code: ErrorCode,
): Failure {
  assert.ok(answer, `${code}: the connection ended without a response`);
  const failure = client.failureIn(answer);
  assert.equal(failure.code, code, failure.message);
  return failure;
}

/** Sends bytes until the server responds or closes the connection, or until all are sent. */
export async function sendBody(opening: Opening, total: number) {
  const wire = await write(opening, `Content-Length: ${total}\r\n\r\n`);
  let over = false;
  const ended = wire.answer.then((answer) => {
    over = true;
    return answer;
  });
  const chunk = Buffer.alloc(64 * 1024, 120);
  let sent = 0;
  while (!over && sent < total && wire.socket.writable) {
    await Promise.race([wire.write(chunk), ended]);
    sent += chunk.length;
  }
  return { answer: await ended, sent };
}
