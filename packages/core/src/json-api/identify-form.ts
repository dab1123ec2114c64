import type { Signatures, SignedForm, SignedUpload } from '../contracts/signatures.js';
import { StorageError } from '../errors.js';
import type { Identified, UnderstoodRequest } from '../http/dialect.js';
import { identifyForm as identify } from '../http/form-upload.js';
import type { Prefixes } from '../http/headers.js';

/** Identifies who sent a form that uploads an object. Its fields get the names of the interface. */
export const identifyForm = (
  signatures: Signatures | undefined,
  about: UnderstoodRequest,
  { own, sent, others }: Prefixes,
): Promise<Identified> =>
  identify(about, {
    verify: (fields) => verify(signatures, { fields, bucket: about.bucket, now: about.now() }),
    nameOf(name) {
      if (name.startsWith(sent)) return own + name.slice(sent.length);
      if (!others.some((other) => name.startsWith(other))) return name;
      throw new StorageError('NotImplemented', `Fields begin with ${own} here, not as ${name}.`);
    },
    malformed: (message) => new StorageError('InvalidHTTPRequest', message),
    keyless: () =>
      new StorageError('InvalidArgument', 'The form needs a field key before its file.'),
    tooLarge: 'MaxMessageLengthExceeded',
  });

/** Without signatures, a form is anonymous. */
async function verify(signatures: Signatures | undefined, form: SignedForm): Promise<SignedUpload> {
  if (signatures !== undefined) {
    const result = await signatures.verifyForm(form);
    if ('code' in result) throw new StorageError(result.code, result.message);
    return result;
  }
  const names = Array.from(form.fields, ([name]) => name.toLowerCase());
  if (names.includes('policy') || names.includes('signature')) {
    const message =
      'Signed forms are not supported here. The host must set the option credentials.';
    throw new StorageError('NotImplemented', message);
  }
  return { principal: undefined, contentLengthRange: undefined };
}
