import type { StorageError } from '../errors.js';

/** The error of a dialect for a malformed form. */
export type MalformedForm = (message: string) => StorageError;

/** The part of a form before the content of its file. */
export interface FormHead {
  /** The fields before the file, in order. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly fileName: string;
}

/** The maximum size of all fields together, with their headers. */
export const MAX_HEAD_BYTES = 20 * 1024;
const MAX_FIELDS = 200;
const BLANK_LINE = Buffer.from('\r\n\r\n');
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a form (multipart/form-data, RFC 7578) as it arrives: first its fields, which are few, then
 * the data of its file. Fields after the file are ignored.
 */
export class FormReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  /** The line break and boundary before each part but the first. */
  readonly #delimiter: Buffer;
  readonly #malformed: MalformedForm;
  #rest: Buffer = Buffer.alloc(0);
  #taken = 0;

  constructor(chunks: AsyncIterable<Uint8Array>, boundary: string, malformed: MalformedForm) {
    this.#malformed = malformed;
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  /** Throws when there is no file, or too much before it. */
  async readHead(): Promise<FormHead> {
    try {
      return await this.#readHead();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Stops reading. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #readHead(): Promise<FormHead> {
    // The first delimiter may lack its line break.
    this.#rest = Buffer.from('\r\n');
    await this.#upTo(this.#delimiter);
    const fields: [string, string][] = [];
    for (;;) {
      if (!(await this.#hasNext())) throw this.#oneFile();
      const head = await this.#partHead();
      if (isFile(head)) return { fields, fileName: head.file };
      if (fields.length === MAX_FIELDS) throw this.#malformed('The form has too many fields.');
      fields.push([head.name, this.#decode(await this.#upTo(this.#delimiter))]);
    }
  }

  /** The data of the file. */
  async *file(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#file();
    } finally {
      await this.close();
    }
  }

  async *#file(): AsyncGenerator<Uint8Array> {
    const keep = this.#delimiter.length - 1;
    for (;;) {
      const at = this.#rest.indexOf(this.#delimiter);
      if (at >= 0) {
        if (at > 0) yield this.#rest.subarray(0, at);
        this.#rest = this.#rest.subarray(at + this.#delimiter.length);
        break;
      }
      const whole = this.#rest.length - keep;
      if (whole > 0) {
        yield this.#rest.subarray(0, whole);
        this.#rest = this.#rest.subarray(whole);
      }
      await this.#more();
    }
    await this.#requireNoOtherFile();
    // The connection is reused, so the rest of the form must be read.
    for (let next = await this.#chunks.next(); !next.done; ) next = await this.#chunks.next();
  }

  /**
   * Fields after the file are ignored, but a second file would be lost although its sender got 204.
   * They may be as many and as long as those before it.
   */
  async #requireNoOtherFile(): Promise<void> {
    this.#taken = 0;
    for (let count = 1; await this.#hasNext(); count++) {
      if (isFile(await this.#partHead())) throw this.#oneFile();
      if (count > MAX_FIELDS) throw this.#malformed('The form has too many fields.');
      await this.#upTo(this.#delimiter);
    }
  }

  /** A delimiter is followed by a line break, or by two hyphens at the end of the form. */
  async #hasNext(): Promise<boolean> {
    while (this.#rest.length < 2) await this.#more();
    const sign = this.#rest.subarray(0, 2).toString('latin1');
    if (sign === '\r\n') return true;
    if (sign === '--') return false;
    throw this.#malformed('A boundary of the form is not followed by a line break.');
  }

  async #partHead(): Promise<PartHead> {
    return partHead(this.#decode(await this.#upTo(BLANK_LINE)), this.#malformed);
  }

  /** Different bytes must not become the same key, so invalid ones are not replaced. */
  #decode(bytes: Uint8Array): string {
    try {
      return decoder.decode(bytes);
    } catch {
      const advice = 'Add <meta charset="utf-8"> to its page.';
      throw this.#malformed(`The fields and file name of the form must be in UTF-8. ${advice}`);
    }
  }

  #oneFile(): StorageError {
    return this.#malformed('POST requires exactly one file upload per request.');
  }

  /** The bytes before a mark. Both are consumed. */
  async #upTo(mark: Buffer): Promise<Buffer> {
    let at = this.#rest.indexOf(mark);
    while (at < 0) {
      await this.#more();
      if (this.#taken + this.#rest.length > MAX_HEAD_BYTES) {
        if (this.#rest.indexOf(mark) < 0)
          throw this.#malformed('The fields of the form are too long.');
      }
      at = this.#rest.indexOf(mark);
    }
    const found = this.#rest.subarray(0, at);
    this.#taken += at + mark.length;
    if (this.#taken > MAX_HEAD_BYTES) throw this.#malformed('The fields of the form are too long.');
    this.#rest = this.#rest.subarray(at + mark.length);
    return found;
  }

  async #more(): Promise<void> {
    const next = await this.#chunks.next();
    if (next.done) throw this.#malformed('The form ended too early.');
    this.#rest = Buffer.concat([this.#rest, next.value]);
  }
}

interface PartHead {
  readonly name: string;
  readonly file: string;
}

/** The names of fields are case-insensitive. */
const isFile = ({ name }: PartHead): boolean => name.toLowerCase() === 'file';

/** The headers of a part. */
function partHead(text: string, malformed: MalformedForm): PartHead {
  const headers = new Map(
    text
      .split('\r\n')
      .filter((line) => line !== '')
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
      }),
  );
  const disposition = headers.get('content-disposition') ?? '';
  const [name, another] = parametersOf(disposition, 'name');
  if (!/^form-data\b/i.test(disposition) || name === undefined) {
    throw malformed('A part of the form has no name.');
  }
  const [file = '', other] = parametersOf(disposition, 'filename');
  // Parsers disagree about which one counts.
  if (another !== undefined || other !== undefined) {
    throw malformed('A part of the form has two names.');
  }
  return { name, file };
}

const PARAMETER = /;\s*([^\s=;"]+)=(?:"([^"]*)"|([^;\s]*))/g;

/** Browsers percent-encode quotes and line breaks (HTML, "multipart/form-data"). */
const parametersOf = (disposition: string, name: string): readonly string[] =>
  Array.from(disposition.matchAll(PARAMETER))
    .filter(([, found]) => found?.toLowerCase() === name)
    .map(([, , quoted, bare]) => quoted ?? bare ?? '')
    .map((text) => text.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n'));

/** The boundary in a Content-Type; `undefined` if the body is not a form. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  const [, quoted, bare] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(
      contentType ?? '',
    ) ?? [];
  return quoted ?? bare;
}
