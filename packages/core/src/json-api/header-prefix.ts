import type { Prefixes } from '../http/headers.js';

/** The prefix of the interface's own headers. Apps may configure another prefix for the wire. */
export const PREFIX = 'x-svc-';
export const META = `${PREFIX}meta-`;

/** The header prefixes of this dialect and related ones. */
const DIALECTS = [PREFIX, 'x-bce-', 'x-amz-', 'x-oss-', 'x-cos-'];

export const prefixesFor = (sent = PREFIX): Prefixes => ({
  own: PREFIX,
  sent,
  others: DIALECTS.filter((prefix) => prefix !== sent),
});

/** The headers of a response with the configured prefix. */
export function withPrefix(
  headers: Readonly<Record<string, string>>,
  prefix: string,
): Readonly<Record<string, string>> {
  if (prefix === PREFIX) return headers;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.startsWith(PREFIX) ? prefix + name.slice(PREFIX.length) : name,
      value,
    ]),
  );
}
