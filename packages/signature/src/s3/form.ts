import type { Principal, SignedForm } from '@bucketware/core/contracts';
import { SignatureError } from '../errors.js';
import { type FormUpload, fieldsOf } from '../form.js';
import { type PolicyRules, requirePolicy } from '../policy.js';
import { MAX_SKEW, readBasicTimestamp } from '../timestamps.js';
import { type Claims, MAX_EXPIRES, readCredential } from './claims.js';
import { ALGORITHM } from './scope.js';

/** How to verify a form. `old` is for Signature Version 2: HMAC-SHA1 in base64. */
export interface FormSigners {
  current(claims: Claims, policy: string): Promise<Principal>;
  old(
    claims: Pick<Claims, 'accessKey' | 'signature' | 'sessionToken'>,
    policy: string,
  ): Promise<Principal>;
}

const RULES: PolicyRules = {
  exempt: /^(awsaccesskeyid|signature|policy|file|x-amz-signature|x-ignore-.*|x-amz-checksum-.*)$/,
  hasWildcards: false,
  expired: 'AccessDenied',
};

const CURRENT = ['x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'x-amz-signature'];
const OLD = ['awsaccesskeyid', 'signature'];

/** The signature covers the policy, and the policy covers each field. Both must be checked. */
export async function verifyForm(form: SignedForm, signers: FormSigners): Promise<FormUpload> {
  const fields = fieldsOf(form);
  const policy = fields.get('policy');
  const isCurrent = CURRENT.some((name) => fields.has(name));
  const isOld = OLD.some((name) => fields.has(name));
  if (policy === undefined && !isCurrent && !isOld) {
    return { principal: undefined, accessKey: undefined, contentLengthRange: undefined };
  }
  if (isCurrent && isOld) throw invalid('Sign a form with only one version of the signature.');
  const required = (name: string): string => {
    const value = fields.get(name);
    if (value) return value;
    throw invalid(`A form with a policy needs the field ${name}.`);
  };
  const signed = required('policy');
  const sessionToken = fields.get('x-amz-security-token');
  const claims = isOld
    ? { accessKey: required('awsaccesskeyid'), signature: required('signature'), sessionToken }
    : { ...currentClaims(required, form.now), sessionToken };
  const principal = await ('scope' in claims
    ? signers.current(claims, signed)
    : signers.old(claims, signed));
  const contentLengthRange = requirePolicy(signed, fields, form, RULES);
  return { principal, accessKey: claims.accessKey, contentLengthRange };
}

function currentClaims(required: (name: string) => string, now: number) {
  const code = 'InvalidArgument';
  if (required('x-amz-algorithm') !== ALGORITHM) {
    throw invalid(`Forms must be signed with ${ALGORITHM}.`);
  }
  const timestamp = required('x-amz-date');
  const time = readBasicTimestamp(timestamp);
  if (time === undefined) throw invalid('x-amz-date must be a time such as 20130524T000000Z.');
  const credential = readCredential(required('x-amz-credential'), timestamp, code);
  if (now < time - MAX_SKEW || now > time + MAX_EXPIRES * 1000) {
    throw new SignatureError('AccessDenied', 'The signature of a form is valid for seven days.');
  }
  return { ...credential, timestamp, signature: required('x-amz-signature') };
}

const invalid = (message: string) => new SignatureError('InvalidArgument', message);
