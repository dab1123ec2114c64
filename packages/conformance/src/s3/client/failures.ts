import assert from 'node:assert/strict';
import type { ErrorCode } from '@bucketware/core';
import { Failure } from '../../actions/failure.js';
import type { Answer } from '../../http/answer.js';
import { one, parse } from './xml.js';

/** Codes of S3 with their statuses, and what they are in the catalogue of the core. */
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

/** The code of the core for one of S3. */
export function codeOf(s3Code: string): ErrorCode {
  const known = CODES[s3Code];
  assert.ok(known, `${s3Code} is no code of S3 that this suite knows`);
  return known[1];
}

/** HEAD says by its status alone what is wrong. */
const OF_HEAD: Readonly<Record<number, ErrorCode>> = {
  400: 'InvalidArgument',
  403: 'AccessDenied',
  405: 'MethodNotAllowed',
  412: 'PreconditionFailed',
  416: 'InvalidRange',
  501: 'NotImplemented',
};

const bare = (etag: string | undefined) => etag?.replaceAll('"', '');

/** The failure that an answer tells, which must be one in every respect. */
export function failureIn(answer: Answer, method: string, aboutObject: boolean): Failure {
  const { status } = answer;
  const etag = answer.header('etag');
  if (status === 304) {
    assert.equal(answer.body.length, 0);
    return new Failure('NotModified', '304', answer, { etag: bare(etag) });
  }
  assert.equal(etag, undefined, 'a refusal tells no ETag');
  if (method === 'HEAD') {
    assert.equal(answer.body.length, 0);
    const code = status === 404 ? (aboutObject ? 'NoSuchKey' : 'NoSuchBucket') : OF_HEAD[status];
    assert.ok(code, `HEAD was answered ${status}`);
    return new Failure(code, `${status}`, answer);
  }
  assert.equal(answer.header('content-type'), 'application/xml');
  const error = parse(answer.text);
  assert.equal(error.name, 'Error');
  assert.equal(one(error, 'RequestId'), answer.header('x-amz-request-id'));
  const [s3Code, message] = [one(error, 'Code'), one(error, 'Message')];
  const code = codeOf(s3Code);
  assert.equal(status, CODES[s3Code]?.[0], `${s3Code} was answered with status ${status}`);
  const size = answer.header('content-range')?.replace(/^bytes \*\//, '');
  return new Failure(code, message, answer, { size: size === undefined ? size : Number(size) });
}
