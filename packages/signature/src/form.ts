import type { SignedForm, SignedUpload } from '@bucketware/core/contracts';
import { SignatureError } from './errors.js';

/** What a form may upload, and who signed it. */
export interface FormUpload extends SignedUpload {
  readonly accessKey: string | undefined;
}

/**
 * The fields by name. A name may occur only once, because otherwise it would be unclear which field
 * counts.
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
