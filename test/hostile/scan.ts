import { type ErrorCode, StorageError } from '@bucketware/core';

export interface Answer {
  readonly method: string;
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export const headerOf = ({ rawHeaders }: Answer, name: string): string | undefined => {
  const at = rawHeaders.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
  return at < 0 ? undefined : rawHeaders[at + 1];
};

/** The code of an error, or the status of any other response. */
export const codeOf = (answer: Answer): string =>
  answer.status >= 400 && answer.body.length > 0
    ? JSON.parse(answer.body.toString()).code
    : String(answer.status);

/** A line of a stack trace, and typical paths of a server's code. */
const STACK = /^\s*at .+:\d+:\d+\)?$/m;
const CODE = /node_modules|file:\/\/|node:internal|\/dist\//;

/** What is wrong with a response to any request; `undefined` if nothing is. */
export function faultOf(answer: Answer, secrets: readonly string[]): string | undefined {
  const { method, status, rawHeaders, body } = answer;
  if (status === 0) return undefined; // The connection was ended, which is also acceptable.
  const shown = `${rawHeaders.join('\n')}\n${body.toString('latin1')}`;
  if (status === 500) return `status 500: ${body}`;
  const secret = secrets.find((text) => shown.includes(text));
  if (secret !== undefined) return `the answer shows ${secret}`;
  if (STACK.test(shown) || CODE.test(shown)) return `the answer shows code: ${shown}`;
  if (headerOf(answer, 'x-evil') !== undefined) return 'the answer was split';
  if (status < 400) return undefined;
  // Node itself responds to what is not HTTP, with only a status.
  if (headerOf(answer, 'x-svc-request-id') === undefined) {
    const bare = body.length === 0 && [400, 408, 413, 417, 431].includes(status);
    return bare ? undefined : `not an answer of the storage: ${status} ${shown}`;
  }
  return method === 'HEAD' ? undefined : faultOfError(answer);
}

function faultOfError(answer: Answer): string | undefined {
  const found: unknown = JSON.parse(answer.body.toString());
  const { code, message, requestId, ...more } = found as Record<string, unknown>;
  if (typeof message !== 'string' || message === '' || Object.keys(more).length > 0) {
    return `not {code, message, requestId}: ${answer.body}`;
  }
  if (requestId !== headerOf(answer, 'x-svc-request-id'))
    return 'another requestId than its header';
  const status = statusOf(String(code));
  const rangeOfNothing = code === 'InvalidRange' && answer.status === 400;
  if (answer.status !== status && !rangeOfNothing) return `${code} with status ${answer.status}`;
  if (headerOf(answer, 'content-type') !== 'application/json; charset=utf-8') return 'not JSON';
  return headerOf(answer, 'x-content-type-options') === 'nosniff'
    ? undefined
    : 'an error without nosniff';
}

/** The status in the catalogue; `undefined` if there is no such code. */
function statusOf(code: string): number | undefined {
  try {
    return new StorageError(code as ErrorCode).status;
  } catch {
    return undefined;
  }
}

/** Parses the first response on a connection. Status 0: there was none. */
export function parseAnswer(method: string, bytes: Buffer): Answer {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return { method, status: 0, rawHeaders: [], body: bytes };
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const rawHeaders = lines.flatMap((line) => {
    const at = line.indexOf(':');
    return [line.slice(0, at), line.slice(at + 1).trim()];
  });
  const status = Number(first.split(' ')[1]);
  const answer = { method, status, rawHeaders, body: bytes.subarray(end + 4) };
  const length = headerOf(answer, 'content-length');
  return length === undefined
    ? answer
    : { ...answer, body: answer.body.subarray(0, Number(length)) };
}
