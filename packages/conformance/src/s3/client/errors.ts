import assert from 'node:assert/strict';
import type { ErrorCode } from '@bucketware/core';
import type { Answer } from '../../http/answer.js';
import { documentIn, one } from './xml.js';

/** Codes of S3 with their statuses and the corresponding codes of the core's catalogue. */
const CODES: Readonly<Record<string, readonly [status: number, code: ErrorCode]>> = {
  AccessDenied: [403, 'AccessDenied'],
  AccessForbidden: [403, 'AccessDenied'],
  BadDigest: [400, 'BadDigest'],
  BucketAlreadyExists: [409, 'BucketAlreadyExists'],
  BucketAlreadyOwnedByYou: [409, 'BucketAlreadyExists'],
  BucketNotEmpty: [409, 'BucketNotEmpty'],
  EntityTooLarge: [400, 'EntityTooLarge'],
  EntityTooSmall: [400, 'EntityTooSmall'],
  IncompleteBody: [400, 'ReadBodyError'],
  InvalidArgument: [400, 'InvalidArgument'],
  InvalidBucketName: [400, 'InvalidBucketName'],
  InvalidDigest: [400, 'BadDigest'],
  InvalidPart: [400, 'InvalidPart'],
  InvalidPartOrder: [400, 'InvalidPartOrder'],
  InvalidRange: [416, 'InvalidRange'],
  InvalidRequest: [400, 'InvalidArgument'],
  InvalidStorageClass: [400, 'InvalidArgument'],
  InvalidURI: [400, 'InvalidURI'],
  KeyTooLongError: [400, 'InvalidObjectName'],
  MalformedXML: [400, 'InappropriateJSON'],
  MetadataTooLarge: [400, 'MetadataTooLarge'],
  MethodNotAllowed: [405, 'MethodNotAllowed'],
  MissingContentLength: [411, 'MissingContentLength'],
  NoSuchBucket: [404, 'NoSuchBucket'],
  NoSuchCORSConfiguration: [404, 'NoSuchCORSConfiguration'],
  NoSuchKey: [404, 'NoSuchKey'],
  NoSuchLifecycleConfiguration: [404, 'NoLifecycleConfiguration'],
  NoSuchUpload: [404, 'NoSuchUpload'],
  NotImplemented: [501, 'NotImplemented'],
  PreconditionFailed: [412, 'PreconditionFailed'],
  RequestTimeout: [400, 'RequestTimeout'],
  XAmzContentSHA256Mismatch: [400, 'BadDigest'],
};

/** The code of the core for a code of S3. */
export function codeOf(s3Code: string): ErrorCode {
  const known = CODES[s3Code];
  assert.ok(known, `${s3Code} is not a known code of S3`);
  return known[1];
}

/** Reads code and message of an error, and asserts everything that errors require. */
export function errorIn(answer: Answer): { readonly code: ErrorCode; readonly message: string } {
  const error = documentIn(answer, 'Error');
  assert.equal(one(error, 'RequestId'), answer.header('x-amz-request-id'));
  const [s3Code, message] = [one(error, 'Code'), one(error, 'Message')];
  const code = codeOf(s3Code);
  const { status } = answer;
  assert.equal(status, CODES[s3Code]?.[0], `${s3Code} was returned with status ${status}`);
  return { code, message };
}
