import {
  asItIs,
  type InputSource,
  type Parse,
  query,
  type Reader,
  StorageError,
  wholeNumber,
} from '@bucketware/core/dialect';
import { invalid, invalidRequest } from './errors.js';

/** Header values arrive as Latin-1, whereas query values have been decoded from UTF-8. */
const toWire = (text: string): string => Buffer.from(text).toString('latin1');

/**
 * Reads a header of S3, or the query parameter to which presigners move it. If a request has both,
 * they must be equal.
 */
export function amz(name: string): Reader<string | undefined>;
export function amz<Given>(name: string, parse: Parse<Given>): Reader<Given | undefined>;
export function amz(name: string, parse: Parse<unknown> = asItIs): Reader<unknown> {
  return {
    label: `The header ${name}`,
    headers: [name],
    query: [name],
    read({ headers, query }) {
      const [sent, inQuery] = [headers.get(name), query.get(name)];
      const moved = inQuery && toWire(inQuery);
      if (sent !== undefined && moved !== undefined && sent !== moved) {
        throw invalid(`The header ${name} and the query parameter with the same name differ.`);
      }
      const text = sent ?? moved;
      return text ? parse(text) : undefined;
    },
  };
}

/** The headers with a prefix, including those moved to the query, as pairs without the prefix. */
export function pairsIn({ headers, query }: InputSource, prefix: string): [string, string][] {
  const found = new Map<string, string>();
  for (const name of headers.names()) {
    // Unlike elsewhere, an empty value counts.
    if (name.startsWith(prefix)) found.set(name.slice(prefix.length), headers.get(name) ?? '');
  }
  if (query.size === 0) return [...found];
  for (const parameter of query.names()) {
    const value = parameter.startsWith(prefix) ? query.get(parameter) : undefined;
    if (value !== undefined) found.set(parameter.slice(prefix.length).toLowerCase(), toWire(value));
  }
  return [...found];
}

/** Reads a field of a parsed body, and converts it if the operation requires that. */
export const inBody = <Body, Given>(
  label: string,
  read: (body: Body, source: InputSource) => Given,
): Reader<Given> => ({
  label,
  // In S3, this becomes MalformedXML.
  malformed: 'InappropriateJSON',
  read: (source) => read(source.body as Body, source),
});

/** Selects a part of an object, as it was uploaded, instead of the whole object. */
export const partNumber = query('partNumber', wholeNumber);

export function requireOneRange(input: {
  readonly range?: string | undefined;
  readonly partNumber?: number | undefined;
}): void {
  if (input.range === undefined || input.partNumber === undefined) return;
  throw invalidRequest('Cannot specify both Range header and partNumber query parameter.');
}

/** Objects have only one version, which S3 calls `null`. */
export const versionId = {
  versionId: {
    label: 'The query parameter versionId',
    query: ['versionId'],
    read({ query }) {
      requireNullVersion(query.get('versionId'));
      return undefined;
    },
  } satisfies Reader<undefined>,
};

export function requireNullVersion(id: string | undefined): void {
  if (id === undefined || id === 'null') return;
  if (id === '') throw invalid('A version id cannot be empty.');
  throw new StorageError(
    'NoSuchKey',
    'Versions are not supported: the version id of every object is null.',
  );
}
