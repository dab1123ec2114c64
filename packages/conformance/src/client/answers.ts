import assert from 'node:assert/strict';
import type { ErrorCode } from '@bucketware/core';
import { Failure } from '../actions/failure.js';
import type { Answer } from '../http/answer.js';
import type { Spelling } from './spelling.js';

/** An ETag without its quotes. */
export function bare(etag: string | undefined): string {
  assert.match(etag ?? '', /^"[^"]+"$/);
  return (etag as string).slice(1, -1);
}

/** Asserts a success without a body. */
export function assertEmpty(answer: Answer): void {
  assert.equal(answer.body.length, 0, `unexpected body: ${answer.text.slice(0, 200)}`);
  if (answer.status !== 204) assert.equal(answer.header('content-length'), '0');
}

export const numberIn = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

/** Codes for errors of HEAD, which returns only a status. */
const OF_HEAD: Readonly<Record<number, ErrorCode>> = {
  400: 'InvalidArgument',
  403: 'AccessDenied',
  405: 'MethodNotAllowed',
  412: 'PreconditionFailed',
  416: 'InvalidRange',
  501: 'NotImplemented',
};

/** Reads the failure in a response, and asserts everything that an error requires. */
export function failureIn(
  { prefix, errorIn }: Spelling,
  answer: Answer,
  { method, key }: { readonly method: string; readonly key?: unknown },
): Failure {
  const { status } = answer;
  const etag = answer.header('etag');
  if (status === 304) {
    assert.equal(answer.body.length, 0);
    assert.equal(answer.header('content-type'), undefined);
    return new Failure('NotModified', '304', answer, { etag: etag && bare(etag) });
  }
  assert.equal(etag, undefined, 'an error has no ETag');
  if (method === 'HEAD') {
    assert.equal(answer.body.length, 0);
    const missing = key === undefined ? 'NoSuchBucket' : 'NoSuchKey';
    const code = status === 404 ? missing : OF_HEAD[status];
    assert.ok(code, `HEAD returned ${status}`);
    return new Failure(code, `${status}`, answer);
  }
  const { code, message } = errorIn(answer);
  return new Failure(code, message, answer, {
    size: numberIn(answer.header('content-range')?.replace(/^bytes \*\//, '')),
    appendOffset: numberIn(answer.header(`${prefix}next-append-offset`)),
  });
}
