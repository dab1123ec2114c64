import type { Principal } from '@bucketware/core/contracts';
import { SignatureError } from '../errors.js';
import { MAX_SKEW, readBasicTimestamp } from '../timestamps.js';
import { type Claims, MAX_EXPIRES, readCredential } from './claims.js';
import { type ContentLengthRange, requirePolicy } from './policy.js';
import { ALGORITHM } from './scope.js';

/** A form that uploads an object, up to its file. */
export interface Form {
  /**
   * The fields before `file`, in order; `${filename}` is replaced already. Text as JavaScript has it,
   * decoded from UTF-8.
   */
  readonly fields: Iterable<readonly [name: string, value: string]>;
  /** The bucket of the URL. */
  readonly bucket: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface FormUpload {
  /** Undefined: the form has no policy, so anybody may have sent it. */
  readonly principal: Principal | undefined;
  readonly accessKey: string | undefined;
  /** The bytes that the file may have. Undefined: any number. */
  readonly contentLengthRange: ContentLengthRange | undefined;
}

/** Who signed it. `old`: with Signature Version 2, HMAC-SHA1 in base64. */
export interface FormSigners {
  current(claims: Claims, policy: string): Promise<Principal>;
  old(
    claims: Pick<Claims, 'accessKey' | 'signature' | 'sessionToken'>,
    policy: string,
  ): Promise<Principal>;
}

const CURRENT = ['x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'x-amz-signature'];
const OLD = ['awsaccesskeyid', 'signature'];

/** The signature covers the policy, and the policy each field: neither is enough alone. */
export async function verifyForm(form: Form, signers: FormSigners): Promise<FormUpload> {
  const fields = fieldsOf(form);
  const policy = fields.get('policy');
  const isCurrent = CURRENT.some((name) => fields.has(name));
  const isOld = OLD.some((name) => fields.has(name));
  if (policy === undefined && !isCurrent && !isOld) {
    return { principal: undefined, accessKey: undefined, contentLengthRange: undefined };
  }
  if (isCurrent && isOld) throw invalid('Sign a form with one version of the signature.');
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
  const contentLengthRange = requirePolicy(signed, fields, form);
  return { principal, accessKey: claims.accessKey, contentLengthRange };
}

/** Of two fields of one name it would be left open which one counts. */
function fieldsOf({ fields }: Form): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    if (found.has(key)) throw invalid(`The field ${key} was sent more than once.`);
    found.set(key, value);
  }
  return found;
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
