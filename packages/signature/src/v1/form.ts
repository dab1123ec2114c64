import type { Principal, SignedForm } from '@bucketware/core/contracts';
import { SignatureError } from '../errors.js';
import { type FormUpload, fieldsOf } from '../form.js';
import { type PolicyRules, requirePolicy } from '../policy.js';

export interface FormClaims {
  readonly accessKey: string;
  /** The signature of the policy as it is in the form, in hexadecimal. */
  readonly signature: string;
  readonly sessionToken: string | undefined;
}

/** A policy restricts only the fields that it names. Other fields may have any value. */
const RULES: PolicyRules = { exempt: /^/, hasWildcards: true, expired: 'RequestExpired' };

/**
 * Verifies a form. The caller of a form with a policy is its signer. A form without a policy is
 * anonymous, even if it names an access key.
 */
export async function verifyForm(
  form: SignedForm,
  headerPrefix: string,
  signer: (claims: FormClaims, policy: string) => Promise<Principal>,
): Promise<FormUpload> {
  const fields = fieldsOf(form);
  if (!fields.has('policy') && !fields.has('signature')) {
    return { principal: undefined, accessKey: undefined, contentLengthRange: undefined };
  }
  const required = (name: string): string => {
    const value = fields.get(name.toLowerCase());
    if (value) return value;
    const message = `A signed form needs the field ${name}.`;
    throw new SignatureError('InvalidArgument', message);
  };
  const policy = required('policy');
  const accessKey = required('accessKey');
  const sessionToken = fields.get(`${headerPrefix}security-token`);
  const claims = { accessKey, signature: required('signature'), sessionToken };
  const principal = await signer(claims, policy);
  return { principal, accessKey, contentLengthRange: requirePolicy(policy, fields, form, RULES) };
}
