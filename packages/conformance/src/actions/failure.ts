import assert from 'node:assert/strict';
import type { ErrorCode } from '@bucketware/core';
import type { Answer } from '../http/answer.js';

/** What some failures say beyond their code. */
export interface FailureDetails {
  /** NotModified: the ETag of the object as it is. */
  readonly etag?: string | undefined;
  /** InvalidRange: the size of the object. */
  readonly size?: number | undefined;
  /** OffsetIncorrect: the offset at which the next append goes on. */
  readonly appendOffset?: number | undefined;
}

/** An action that was refused. Its code is the one of the core's catalogue, in every dialect. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: ErrorCode;
  readonly details: FailureDetails;
  /** The answer as it came, for what HTTP says of every refusal. */
  readonly http: Answer;

  constructor(code: ErrorCode, message: string, http: Answer, details: FailureDetails = {}) {
    super(`${code}: ${message}`);
    this.code = code;
    this.details = details;
    this.http = http;
  }
}

/** Asserts that an action is refused with this code. */
export async function fails(
  action: Promise<unknown>,
  code: ErrorCode,
  what = '',
): Promise<Failure> {
  const result = await outcome(action);
  assert.ok(result instanceof Failure, `expected ${code}, but it was carried out. ${what}`);
  assert.equal(result.code, code, `expected ${code}, got ${result.message} ${what}`);
  return result;
}

/** What an action resolves to, or the failure with which it is refused. */
export const outcome = <Result>(action: Promise<Result>): Promise<Result | Failure> =>
  action.catch((error: unknown) => {
    if (error instanceof Failure) return error;
    throw error;
  });

/** The code with which an action is refused, or `done`. */
export async function codeOf(action: Promise<unknown>): Promise<ErrorCode | 'done'> {
  const result = await outcome(action);
  return result instanceof Failure ? result.code : 'done';
}
