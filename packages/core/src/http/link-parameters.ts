import { isPlainObject, kinds, type OptionKind } from '../options.js';
import { httpDate } from './dates.js';
import type { Dialect } from './dialect.js';
import type { Prefixes } from './headers.js';
import type { Operation } from './operation.js';
import { Query } from './query.js';
import type { Reader } from './readers.js';

type Texts = Readonly<Record<string, string>>;

/** The parameters of an operation in the form of a link. */
export interface Written {
  readonly query: Texts;
  readonly headers: Texts;
}

const VALUE: OptionKind = {
  is: 'a string, a number, true or false, or a Date',
  fits: (value) => ['string', 'number', 'boolean'].includes(typeof value) || value instanceof Date,
};
const PAIRS: OptionKind = {
  is: 'an object of strings',
  fits: (value) =>
    isPlainObject(value) && Object.values(value).every((text) => typeof text === 'string'),
};

/** The name under which a parameter is written; `undefined` if it is in the body or nowhere. */
const nameOf = ({ query = [], headers = [] }: Reader<unknown>): string | undefined =>
  query[0] ?? headers[0];

/** The options of a link to an operation: bucket, key and the operation's parameters. */
export function kindsOf({ action, route, reads }: Operation): Readonly<Record<string, OptionKind>> {
  const subject = route.on ?? action.on;
  const markers = [...(route.query ?? []), ...(route.headers ?? [])];
  const parameters = Object.entries(reads).flatMap(([name, reader]) => {
    const written = nameOf(reader);
    if (written === undefined) return [];
    const kind = written.endsWith('*') ? PAIRS : VALUE;
    return [[name, markers.includes(written) ? kinds.required(kind) : kind] as const];
  });
  return {
    ...(subject === 'service' ? {} : { bucket: kinds.required(kinds.text) }),
    ...(subject === 'object' ? { key: kinds.required(kinds.text) } : {}),
    ...Object.fromEntries(parameters),
  };
}

/** Writes each parameter where the operation reads it, preferably in the query. */
export function write(
  { route, reads }: Operation,
  parameters: Readonly<Record<string, unknown>>,
  { own, sent }: Prefixes,
): Written {
  const query: Record<string, string> = Object.fromEntries(
    (route.query ?? []).map((marker) => [marker, '']),
  );
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(parameters)) {
    const reader = reads[name] as Reader<unknown>;
    const written = nameOf(reader);
    if (value === undefined || written === undefined) continue;
    for (const [found, text] of pairsOf(written, value)) {
      if (reader.query !== undefined) query[found] = text;
      else headers[found.startsWith(own) ? sent + found.slice(own.length) : found] = text;
    }
  }
  return { query, headers };
}

function pairsOf(written: string, value: unknown): readonly (readonly [string, string])[] {
  if (!written.endsWith('*')) return [[written, textOf(value)]];
  const prefix = written.slice(0, -1);
  return Object.entries(value as Texts).map(([name, text]) => [prefix + name.toLowerCase(), text]);
}

const textOf = (value: unknown): string =>
  value instanceof Date ? httpDate(value.getTime()) : String(value);

/** Reads the parameters as a request would. Throws the error that the request would get. */
export function checkWritten(
  dialect: Dialect,
  operation: Operation,
  { query: texts, headers: sent }: Written,
  bucket = '',
): void {
  const toWire = (text: string) => Buffer.from(text).toString('latin1');
  const headers = dialect.readHeaders(
    Object.entries(sent).flatMap(([name, text]) => [name, toWire(text)]),
  );
  const pairs = Object.entries(texts).map((pair) => pair.map(encodeURIComponent).join('='));
  const query = new Query(pairs.join('&'));
  dialect.requireUnderstood(operation, query, headers);
  // The parameters of a body are not known yet.
  if (operation.body !== undefined) return;
  operation.readResponseInput({ query, headers, bucket });
  operation.readInput({ query, headers, bucket });
}
