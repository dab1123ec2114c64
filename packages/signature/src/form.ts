import type { SignedForm, SignedUpload } from '@bucketware/core/contracts';
import { SignatureError } from './errors.js';

/** What a form may upload, and by whom. */
export interface FormUpload extends SignedUpload {
  readonly accessKey: string | undefined;
}

/** Of two fields of one name it would be left open which one counts. */
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
