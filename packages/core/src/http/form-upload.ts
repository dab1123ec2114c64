import type { SignedForm, SignedUpload } from '../contracts/signatures.js';
import { checkObjectKey } from '../engine/names.js';
import { type ErrorCode, StorageError } from '../errors.js';
import { bodyAlreadyRead } from './body.js';
import { within } from './deadline.js';
import type { Identified, UnderstoodRequest } from './dialect.js';
import type { FormFields } from './form-fields.js';
import {
  boundaryOf,
  type FormHead,
  FormReader,
  MAX_HEAD_BYTES,
  type MalformedForm,
} from './form-reader.js';
import type { Prefixes } from './headers.js';
import type { RequestBody } from './message.js';

/** How a dialect handles forms. */
export interface FormTerms {
  /**
   * Verifies the fields before the file, in which `${filename}` is already replaced. Rejects if the
   * signature of the policy is not valid, or if the fields violate the policy.
   */
  verify(fields: SignedForm['fields']): Promise<SignedUpload>;
  readonly malformed: MalformedForm;
  /** The error for a form that names no object. */
  keyless(): StorageError;
  /** The error for a file that is larger than the policy allows. */
  readonly tooLarge: ErrorCode;
}

/**
 * Identifies the sender of a form that uploads an object: the signer of its policy, otherwise an
 * anonymous caller. The app's own login is not used, because a page of another site could send a
 * form with it.
 */
export async function identifyForm(
  { request, headers, times }: UnderstoodRequest,
  terms: FormTerms,
): Promise<Identified> {
  const boundary = boundaryOf(headers.get('content-type'));
  if (boundary === undefined) {
    throw terms.malformed('The form must be multipart/form-data with a boundary.');
  }
  if (request.body.parsed !== undefined) throw bodyAlreadyRead();
  const form = new FormReader(
    request.body.chunks({ stall: times.stall }),
    boundary,
    terms.malformed,
  );
  const { fields: found, fileName } = await within(times.total, form.readHead());
  try {
    const fields = named(found, withoutPath(fileName), terms.malformed);
    const { principal, contentLengthRange } = await terms.verify(fields);
    const byName = new Map<string, string>();
    for (const [given, value] of fields) {
      const name = nameOf(given.toLowerCase(), headers.prefixes);
      // It would be unclear which one to use.
      if (byName.has(name)) throw terms.malformed(`The field ${given} was sent more than once.`);
      byName.set(name, value);
    }
    const key = byName.get('key');
    if (key === undefined || key === '') throw terms.keyless();
    return {
      principal,
      key: checkObjectKey(key),
      fields: byName satisfies FormFields,
      body: new FileOfForm(form, contentLengthRange, terms.tooLarge),
      discard: () => form.close(),
    };
  } catch (error) {
    await form.close();
    throw error;
  }
}

/**
 * The name under which a field is read. Throws for a field of another dialect, because it may
 * protect stored data.
 */
function nameOf(name: string, { own, sent, others }: Prefixes): string {
  if (name.startsWith(sent)) return own + name.slice(sent.length);
  if (!others.some((other) => name.startsWith(other))) return name;
  throw new StorageError(
    'NotImplemented',
    `Fields of this service begin with ${own}; ${name} is not supported.`,
  );
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of forms
const FILE_NAME = '${filename}';

/** As in S3, a path that the client sends with the name of its file is not used. */
const withoutPath = (fileName: string): string => fileName.replace(/^.*[\\/]/s, '');

/**
 * The fields with `${filename}` replaced. A field may contain it a thousand times, so the result
 * has the same size limit as the input.
 */
function named(
  fields: FormHead['fields'],
  fileName: string,
  malformed: MalformedForm,
): FormHead['fields'] {
  let room = MAX_HEAD_BYTES;
  return fields.map(([name, value]) => {
    const pieces = value.split(FILE_NAME);
    room -= value.length + (pieces.length - 1) * fileName.length;
    if (room < 0) throw malformed('The fields of the form are too long.');
    return [name, pieces.join(fileName)];
  });
}

/** The file as the body of the request. Its size must be within the range of the policy. */
class FileOfForm implements RequestBody {
  readonly parsed = undefined;
  readonly #form: FormReader;
  readonly #range: SignedUpload['contentLengthRange'];
  readonly #tooLarge: ErrorCode;

  constructor(form: FormReader, range: SignedUpload['contentLengthRange'], tooLarge: ErrorCode) {
    this.#form = form;
    this.#range = range;
    this.#tooLarge = tooLarge;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    const { min = 0, max = Number.POSITIVE_INFINITY } = this.#range ?? {};
    let size = 0;
    for await (const chunk of this.#form.file()) {
      size += chunk.length;
      if (size > max)
        throw new StorageError(this.#tooLarge, `The file may have at most ${max} bytes.`);
      yield chunk;
    }
    if (size < min)
      throw new StorageError('EntityTooSmall', `The file must have at least ${min} bytes.`);
  }
}
