import {
  type Dialect,
  type Identified,
  type Operation,
  type RequestHeaders,
  StorageError,
  signedRequests,
  type UnderstoodRequest,
  utf8Of,
} from '@bucketware/core/dialect';
import {
  type Payload,
  type S3Verifier,
  SignatureError,
  type VerifiedS3Request,
} from '@bucketware/signature';
import { asS3Error, invalidRequest } from '../errors.js';
import { CHECKSUM_HEADERS, type ChecksumKind, kindOf } from './checksums.js';
import { identifyForm } from './identify-form.js';
import { type ExpectedChecksum, VerifiedBody } from './verified-body.js';

/**
 * Identifies the caller: the signer of the request, or else the user whom the app has
 * authenticated. In both cases, the body is verified against the request.
 */
export const identifier =
  (verifier: S3Verifier, now?: () => number): Dialect['identify'] =>
  async (understood, login) => {
    const about = now === undefined ? understood : { ...understood, now };
    requireExpectedOwner(about);
    if (about.operation.loginInBody) return identifyForm(verifier, about);
    const { principal, accessKey, payload } = await verify(verifier, about);
    const isSigned = accessKey !== undefined;
    return {
      principal: isSigned ? principal : await login(),
      bySignedUrl: isSigned && !/^aws/i.test(about.headers.get('authorization') ?? ''),
      ...bodyOf(about, payload),
    };
  };

/** Behind a proxy, the signature may match the request as it was sent or as it arrived. */
async function verify(verifier: S3Verifier, about: UnderstoodRequest): Promise<VerifiedS3Request> {
  let failure: unknown;
  for (const request of signedRequests(about)) {
    const turn = about.yieldIfDue();
    if (turn !== undefined) await turn;
    try {
      return await verifier.verify(request);
    } catch (error) {
      failure ??= error;
      if (!(error instanceof SignatureError && error.code === 'SignatureDoesNotMatch')) break;
    }
  }
  throw asS3Error(failure);
}

/** Throws AccessDenied if the bucket does not belong to the owner that the client expects. */
function requireExpectedOwner({ headers, query, owner }: UnderstoodRequest): void {
  const name = 'x-amz-expected-bucket-owner';
  const sent = headers.get(name);
  const expected = sent === undefined ? query.get(name) : (utf8Of(sent) ?? sent);
  if (expected === undefined || owner === undefined || owner.userId === expected) return;
  throw new StorageError('AccessDenied', 'The bucket does not belong to the expected owner.');
}

function bodyOf(
  { request, operation, headers }: UnderstoodRequest,
  payload: Payload,
): Pick<Identified, 'body' | 'length'> {
  const awaited = expectedChecksum(operation, headers, payload);
  const isPlain = payload.size === undefined && payload.sha256 === undefined;
  if (isPlain && awaited === undefined) return {};
  const text = headers.get('content-length');
  const announced = text === undefined ? undefined : Number(text);
  const body = new VerifiedBody(request.body, announced, payload, awaited);
  return { body, length: payload.size ?? announced };
}

/**
 * At most one checksum. If the operation reads it, the storage verifies it and stores it with the
 * data.
 */
function expectedChecksum(
  operation: Operation,
  headers: RequestHeaders,
  { announced }: Payload,
): ExpectedChecksum | undefined {
  const sent = CHECKSUM_HEADERS.filter((name) => headers.has(name));
  if (sent.length + announced.length > 1) {
    throw invalidRequest(
      'Expecting a single x-amz-checksum- header. Multiple checksums are not allowed.',
    );
  }
  const [trailer] = announced;
  if (trailer !== undefined) {
    const kind = kindOf(trailer);
    const isStored = readsItself(operation, 'x-amz-trailer');
    if (kind !== undefined) return { kind, value: undefined, isStored };
    throw invalidRequest('The value specified in the x-amz-trailer header is not supported.');
  }
  const [name] = sent;
  if (name === undefined || readsItself(operation, name)) return undefined;
  return { kind: kindOf(name) as ChecksumKind, value: headers.get(name), isStored: false };
}

const readsItself = ({ reads }: Operation, name: string): boolean =>
  Object.values(reads).some(({ headers = [] }) => headers.includes(name));
