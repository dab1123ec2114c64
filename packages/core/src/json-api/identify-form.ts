import type { Signatures, SignedForm, SignedUpload } from '../contracts/signatures.js';
import { StorageError } from '../errors.js';
import type { Identified, UnderstoodRequest } from '../http/dialect.js';
import { identifyForm as identify } from '../http/form-upload.js';
import { isSigned, verify } from './identify.js';

/** Identifies the sender of a form that uploads an object. */
export async function identifyForm(
  signatures: Signatures | undefined,
  about: UnderstoodRequest,
): Promise<Identified> {
  await requireFieldsAlone(signatures, about);
  return identify(about, {
    verify: (fields) => verifyForm(signatures, { fields, bucket: about.bucket, now: about.now() }),
    malformed: (message) => new StorageError('InvalidHTTPRequest', message),
    keyless: () =>
      new StorageError('InvalidArgument', 'The form needs the field key before its file.'),
    tooLarge: 'MaxMessageLengthExceeded',
  });
}

/**
 * Throws when a form is signed in its URL, or its body is described in its headers. Clients may
 * sign a form like any other request, in addition to its policy: then that signature must be valid.
 */
async function requireFieldsAlone(
  signatures: Signatures | undefined,
  about: UnderstoodRequest,
): Promise<void> {
  const { headers, query } = about;
  if (isSigned(query)) {
    throw new StorageError(
      'InvalidArgument',
      'Sign the policy of a form in its fields, not in the URL.',
    );
  }
  const result = signatures && (await verify(signatures, about));
  if (result !== undefined && 'code' in result) throw new StorageError(result.code, result.message);
  const { own, sent } = headers.prefixes;
  if (!headers.has(`${own}content-sha256`)) return;
  const message = `Send ${sent}content-sha256 of a form as a field: it is the digest of its file.`;
  throw new StorageError('NotImplemented', message);
}

/** Verifies the policy of a form. Without signatures, every form is anonymous. */
async function verifyForm(
  signatures: Signatures | undefined,
  form: SignedForm,
): Promise<SignedUpload> {
  if (signatures !== undefined) {
    const result = await signatures.verifyForm(form);
    if ('code' in result) throw new StorageError(result.code, result.message);
    return result;
  }
  const names = Array.from(form.fields, ([name]) => name.toLowerCase());
  if (names.includes('policy') || names.includes('signature')) {
    const message = 'Signed forms are not supported here. The app must set the option credentials.';
    throw new StorageError('NotImplemented', message);
  }
  return { principal: undefined, contentLengthRange: undefined };
}
