import { contentMd5, contentSha256 } from '../actions/parameters/digests.js';
import { isObject } from '../actions/parameters/parameter.js';
import { StorageError } from '../errors.js';
import { bodyAlreadyRead, keptBytes } from '../http/body.js';
import type { RequestHeaders } from '../http/headers.js';
import type { RequestBody } from '../http/message.js';
import type { Reader } from '../http/readers.js';
import { type BodyTerms, isWithoutBody, type StructuredBody } from '../http/structured-body.js';
import { parseWhole, verifyDigests } from '../http/whole-body.js';
import { PREFIX } from './header-prefix.js';
import { unknownField } from './json-object.js';
import { StructureGuard } from './json-structure.js';

const FORM = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i;

export interface JsonBody {
  readonly maxBytes: number;
  /**
   * The maximum number of commas, colons and opening brackets outside of strings, which determine
   * how long parsing takes. Absent when `maxBytes` is small.
   */
  readonly maxStructural?: number;
  /** Whether the body may be empty. */
  readonly optional?: boolean;
  /** The error when the body is larger. */
  readonly tooLarge: 'EntityTooLarge' | 'MaxMessageLengthExceeded';
}

/** The body of an operation that takes JSON, whatever its Content-Type. */
export const jsonBody = (shape: JsonBody): StructuredBody => ({
  optional: shape.optional,
  read: (body, terms) => readJson(body, shape, terms),
});

/**
 * Reads a member of a JSON body. With `beside`, only the members that it names may be present as
 * well; all others must be empty. Throws InappropriateJSON.
 */
export const member = <Given>(
  name: string,
  parse = (json: unknown, _name: string): Given => json as Given,
  beside?: readonly string[],
): Reader<Given> => ({
  label: name,
  malformed: 'InappropriateJSON',
  read({ body }) {
    if (body === undefined) return undefined as Given;
    if (!isObject(body)) throw inappropriate(`The body must be an object with ${name}.`);
    const complaint = beside && unknownField([name, ...beside])(body);
    if (complaint) throw inappropriate(`The body ${complaint.replace(/[^?]$/, '$&.')}`);
    // Treats a missing member like null, which no member may be.
    return parse(body[name] ?? null, name);
  },
});

const inappropriate = (message: string) => new StorageError('InappropriateJSON', message);

/**
 * The size is limited before anything is parsed. If the app has already parsed the body, the parsed
 * value is used.
 */
async function readJson(
  body: RequestBody,
  { maxBytes, maxStructural, tooLarge, optional }: JsonBody,
  terms: BodyTerms,
): Promise<unknown> {
  const { announced, headers } = terms;
  const expected = bodyDigests(headers);
  if (announced !== undefined && announced > maxBytes) throw over(tooLarge, maxBytes);
  if (optional && isWithoutBody(body, terms)) return undefined;
  if (body.parsed !== undefined) {
    const { value } = body.parsed;
    // A parser for forms has turned the JSON text into names and values.
    if (FORM.test(headers.get('content-type') ?? '') && isObject(value)) throw bodyAlreadyRead();
    return fromHost(value, expected, maxStructural);
  }
  const structure = new StructureGuard(maxStructural);
  const whole = {
    name: 'JSON bodies',
    maxBytes,
    expected,
    tooLarge: () => over(tooLarge, maxBytes),
    see: (chunk: Uint8Array) => structure.see(chunk),
  };
  return parseWhole(body, terms, whole, (bytes) =>
    optional && bytes.length === 0 ? undefined : parse(bytes),
  );
}

const CONTENT_SHA256 = `${PREFIX}content-sha256`;

/** The digests of a JSON body. Every operation with such a body verifies them. */
const bodyDigests = (headers: RequestHeaders) => ({
  md5: contentMd5.accept(headers.get('content-md5'), 'The header content-md5'),
  sha256: contentSha256.accept(headers.get(CONTENT_SHA256), `The header ${CONTENT_SHA256}`),
});

type Digests = ReturnType<typeof bodyDigests>;

function fromHost(parsed: unknown, expected: Digests, maxStructural?: number): unknown {
  const bytes = keptBytes(parsed);
  if (bytes !== undefined) {
    new StructureGuard(maxStructural).see(bytes);
    verifyDigests(bytes, expected);
    return parse(bytes);
  }
  // Without the original bytes, a digest cannot be compared.
  const isVerified = expected.md5 === undefined && expected.sha256 === undefined;
  if (parsed === undefined || !isVerified) throw bodyAlreadyRead();
  return parsed;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new StorageError('MalformedJSON', undefined, { cause });
  }
}

const over = (code: JsonBody['tooLarge'], maxBytes: number) =>
  new StorageError(code, `The JSON body may have at most ${maxBytes} bytes.`);
