import assert from 'node:assert/strict';
import type { ErrorCode } from '@bucketware/core';
import type { Answer } from '../http/answer.js';

/** What some failures state in addition to their code. */
export interface FailureDetails {
  /** NotModified: the current ETag of the object. */
  readonly etag?: string | undefined;
  /** InvalidRange: the size of the object. */
  readonly size?: number | undefined;
  /** OffsetIncorrect: the right offset for the next append. */
  readonly appendOffset?: number | undefined;
}

/** An action that failed. In every dialect, its code is that of the core's catalogue. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: ErrorCode;
  readonly details: FailureDetails;
  /** The HTTP response, for assertions about every error. */
  readonly http: Answer;

  constructor(code: ErrorCode, message: string, http: Answer, details: FailureDetails = {}) {
    super(`${code}: ${message}`);
    this.code = code;
    this.details = details;
    this.http = http;
  }
}

/** Asserts that an action fails with this code. */
export async function fails(
  action: Promise<unknown>,
  code: ErrorCode,
  what = '',
): Promise<Failure> {
  const result = await outcome(action);
  assert.ok(result instanceof Failure, `expected ${code}, but the action succeeded. ${what}`);
  assert.equal(result.code, code, `expected ${code}, got ${result.message} ${what}`);
  return result;
}

/** Resolves to the result of an action, or to its failure. */
export const outcome = <Result>(action: Promise<Result>): Promise<Result | Failure> =>
  action.catch((error: unknown) => {
    if (error instanceof Failure) return error;
    throw error;
  });

/** Resolves to the code with which an action fails, or to `done`. */
export async function codeOf(action: Promise<unknown>): Promise<ErrorCode | 'done'> {
  const result = await outcome(action);
  return result instanceof Failure ? result.code : 'done';
}
