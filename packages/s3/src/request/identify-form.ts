import {
  type BodyTimes,
  eatenBody,
  type Identified,
  type RequestBody,
  StorageError,
  type UnderstoodRequest,
} from '@bucketware/core/dialect';
import type { FormUpload, S3Verifier } from '@bucketware/signature';
import { answerable, invalid } from '../errors.js';
import { boundaryOf, FormReader } from './form-reader.js';

/** The fields of a form by name in lower case, the type of its file among them. */
export type FormFields = ReadonlyMap<string, string>;

/** Milliseconds within which the fields of a form must be there, and for which none may come. */
const TIMES: BodyTimes = { stall: 60_000 };

/**
 * Says who has sent a form that uploads an object: whoever signed its policy, else an anonymous caller.
 * The host's login is not asked, as a page of another site could send a form with it.
 */
export async function identifyForm(
  verifier: S3Verifier,
  { request, headers, bucket }: UnderstoodRequest,
  now: number,
): Promise<Identified> {
  if (request.body.parsed !== undefined) throw eatenBody();
  const form = new FormReader(request.body.chunks(TIMES), boundaryOf(headers.get('content-type')));
  const { fields: found, file } = await form.readHead();
  const fields = found.map(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: S3 writes it so in forms
    ([name, value]) => [name, value.replaceAll('${filename}', file.name)] as const,
  );
  const upload = await verifier.verifyForm({ fields, bucket, now }).catch(async (error) => {
    await form.close();
    throw answerable(error);
  });
  const byName = new Map(fields.map(([name, value]) => [name.toLowerCase(), value]));
  const key = byName.get('key');
  if (key === undefined || key === '') {
    await form.close();
    throw invalid(
      "Bucket POST must contain a field named 'key'. If it is specified, please check the order of the fields.",
    );
  }
  if (!byName.has('content-type') && file.type !== undefined) {
    byName.set('content-type', file.type);
  }
  return {
    principal: upload.principal,
    key,
    fields: byName,
    body: new FileOfForm(form, upload.contentLengthRange),
    discard: () => form.close(),
  };
}

/** The file as the body of the request, held to the sizes that the policy allows. */
class FileOfForm implements RequestBody {
  readonly parsed = undefined;
  readonly #form: FormReader;
  readonly #range: FormUpload['contentLengthRange'];

  constructor(form: FormReader, range: FormUpload['contentLengthRange']) {
    this.#form = form;
    this.#range = range;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    const { min = 0, max = Number.POSITIVE_INFINITY } = this.#range ?? {};
    let size = 0;
    for await (const chunk of this.#form.file()) {
      size += chunk.length;
      if (size > max) throw new StorageError('EntityTooLarge', `The file may have ${max} bytes.`);
      yield chunk;
    }
    if (size < min) throw new StorageError('EntityTooSmall', `The file must have ${min} bytes.`);
  }

  async whole(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.chunks()) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
}
