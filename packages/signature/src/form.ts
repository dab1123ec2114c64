import type { SignedForm, SignedUpload } from '@bucketware/core/contracts';
import { SignatureError } from './errors.js';

/** The result of verifying a form: who signed it, and what it may upload. */
export interface FormUpload extends SignedUpload {
  readonly accessKey: string | undefined;
}

/**
 * The fields by name. Throws if a name occurs more than once, because it would be unclear which
 * field to use.
 */
export function fieldsOf({ fields }: SignedForm): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    if (found.has(key)) throw invalid(`The field ${key} was sent more than once.`);
    found.set(key, value);
  }
  return found;
}

const invalid = (message: string) => new SignatureError('InvalidArgument', message);
