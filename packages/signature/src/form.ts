import type { Principal } from '@bucketware/core/contracts';
import { SignatureError } from './errors.js';
import type { ContentLengthRange } from './policy.js';

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

/** Of two fields of one name it would be left open which one counts. */
export function fieldsOf({ fields }: Form): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    if (found.has(key)) throw invalid(`The field ${key} was sent more than once.`);
    found.set(key, value);
  }
  return found;
}

const invalid = (message: string) => new SignatureError('InvalidArgument', message);
