import { RawMetadata, RawValue } from '../actions/parameters/object-headers.js';
import { StorageError } from '../errors.js';
import { DIGESTS } from './allow-list.js';
import { asItIs, type InputSource, type Parse, type Reader } from './readers.js';
import { pageSent } from './sent-url.js';

/** The fields of a form by name in lower case. */
export type FormFields = ReadonlyMap<string, string>;

const fieldsOf = ({ body }: InputSource): FormFields => body as FormFields;

/** In headers, each character is one byte. */
const wire = (text: string): string => Buffer.from(text).toString('latin1');

/** Reads one field of a form, by its name in lower case. */
export function field(name: string): Reader<string | undefined>;
export function field<Given>(name: string, parse: Parse<Given>): Reader<Given | undefined>;
export function field(name: string, parse: Parse<unknown> = asItIs): Reader<unknown> {
  return {
    label: `The field ${name}`,
    read(source) {
      const found = fieldsOf(source).get(name);
      return found === undefined ? undefined : parse(found);
    },
  };
}

/** The value of a field that is stored as a header. */
const storedField = (name: string): Reader<RawValue | undefined> =>
  field(name, (text) => new RawValue(wire(text)));

/** The headers that PutObject stores, apart from user metadata. */
export const contentFields = {
  contentType: storedField('content-type'),
  contentEncoding: storedField('content-encoding'),
  contentLanguage: storedField('content-language'),
  contentDisposition: storedField('content-disposition'),
  cacheControl: storedField('cache-control'),
  expires: storedField('expires'),
};

/** All fields that start with the prefix, as user metadata. */
export const metadataFields = (prefix: string): Reader<RawMetadata | undefined> => ({
  label: `The fields ${prefix}*`,
  read(source) {
    const pairs = [...fieldsOf(source)]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), wire(value)] as const);
    return pairs.length === 0 ? undefined : new RawMetadata(pairs, prefix);
  },
});

/**
 * Fields that protect stored data or describe the upload. A form that does not evaluate one must
 * not replace anything.
 */
const PROTECTIONS = new Set<string>([
  ...['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range'],
  ...['forbid-overwrite', 'content-range', ...DIGESTS],
]);

/**
 * Rejects a form with a field that would be ignored. `refuse` throws for the name of such a field.
 */
export const requireFields = (refuse: (name: string) => void): Reader<undefined> => ({
  label: 'The fields of the form',
  read(source) {
    for (const name of fieldsOf(source).keys()) {
      if (PROTECTIONS.has(name)) {
        throw new StorageError('NotImplemented', `The field ${name} is not evaluated in a form.`);
      }
      refuse(name);
    }
    return undefined;
  },
});

/**
 * The URL of the page to continue with; `undefined` if it is not an http URL, or a very long one.
 * Other URLs could run a script.
 */
export function pageOf(text: string): URL | undefined {
  const url = pageSent(text);
  return /^https?:$/.test(url?.protocol ?? '') ? url : undefined;
}
