import type { ErrorCode } from '@bucketware/core';

/** The statuses of each error code. A range of an empty object is 400. */
const STATUSES: Readonly<Partial<Record<ErrorCode, readonly number[]>>> = {
  AccessDenied: [403],
  BadDigest: [400],
  BucketAlreadyExists: [409],
  BucketNotEmpty: [409],
  EntityTooLarge: [400],
  EntityTooSmall: [400],
  InappropriateJSON: [400],
  InvalidArgument: [400],
  InvalidBucketName: [400],
  InvalidHTTPRequest: [400],
  InvalidObjectName: [400],
  InvalidPart: [400],
  InvalidPartOrder: [400],
  InvalidRange: [416, 400],
  InvalidURI: [400],
  MalformedJSON: [400],
  MaxMessageLengthExceeded: [400],
  MetadataTooLarge: [400],
  MethodNotAllowed: [405],
  MissingContentLength: [411],
  NoLifecycleConfiguration: [404],
  NoSuchBucket: [404],
  NoSuchCORSConfiguration: [404],
  NoSuchKey: [404],
  NoSuchUpload: [404],
  NotAllowCopy: [400],
  NotImplemented: [501],
  ObjectAclNotExists: [404],
  ObjectUnappendable: [403],
  OffsetIncorrect: [409],
  OnlyAllowModify: [403],
  PreconditionFailed: [412],
};

export const statusesOf = (code: string): readonly number[] => STATUSES[code as ErrorCode] ?? [];
