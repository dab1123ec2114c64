import { isIP } from 'node:net';
import type { ObjectStorage, ObservedRequest } from '@bucketware/core';
import { checkOptions, checkStorage, type KnownOptions, kinds } from '@bucketware/core/contracts';
import { redacted } from './redacted.js';

export interface AccessLogOptions {
  /**
   * The format of a line: `combined` or `common`, as in the logs of web servers, or `json`, an
   * object with all details. Default `combined`.
   */
  readonly format?: 'combined' | 'common' | 'json' | undefined;
  /**
   * Called with each line, without a line break. Default: writes it to standard output. If it
   * throws or rejects, the error is passed to the `onError` of the storage.
   */
  readonly write?: ((line: string) => unknown) | undefined;
}

const OPTIONS: KnownOptions<AccessLogOptions> = {
  format: kinds.oneOf('combined', 'common', 'json'),
  write: kinds.aFunction,
};

/**
 * Logs a line for each request to a storage when its response has ended, with signatures removed
 * from URLs. Returns a function that ends the log. Throws a `TypeError` for an invalid option.
 *
 * ```ts
 * accessLog(storage, { format: 'json', write: (line) => logger.info(line) });
 * ```
 */
export function accessLog(
  storage: Pick<ObjectStorage, 'observe'>,
  options: AccessLogOptions = {},
): () => void {
  checkStorage('accessLog()', storage, 'observe');
  checkOptions('accessLog()', options, OPTIONS);
  const { format = 'combined', write = print } = options;
  const lineOf = FORMATS[format];
  return storage.observe((request) => write(lineOf(request)));
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const FORMATS = { combined, common, json } as const;

function combined(request: ObservedRequest): string {
  const referer = redacted(request.header('referer') ?? '-');
  const agent = request.header('user-agent') ?? '-';
  return `${common(request)} "${escaped(referer)}" "${escaped(agent)}"`;
}

function common(request: ObservedRequest): string {
  const { principal, began, method, url, httpVersion, status, bytesOut } = request;
  const user = principal === undefined ? '-' : escaped(principal.userId).replaceAll(' ', '\\x20');
  const line = `${method} ${redacted(url)} HTTP/${httpVersion}`;
  const who = `${addressOf(request) ?? '-'} - ${user} [${commonTime(began)}]`;
  return `${who} "${escaped(line)}" ${status} ${bytesOut}`;
}

function json(request: ObservedRequest): string {
  return onOneLine({
    time: new Date(request.began).toISOString(),
    requestId: request.requestId,
    address: addressOf(request),
    tenant: request.principal && `${request.principal.tenantCode}-${request.principal.tenantId}`,
    user: request.principal?.userId,
    method: request.method,
    url: redacted(request.url),
    dialect: request.dialect,
    operation: request.operation,
    bucket: request.bucket || undefined,
    key: request.key || undefined,
    status: request.status,
    error: request.error,
    bytesIn: request.bytesIn,
    bytesOut: request.bytesOut,
    firstByte: rounded(request.firstByte),
    duration: rounded(request.duration),
    complete: request.complete,
    referer: redactedIfAny(request.header('referer')),
    userAgent: request.header('user-agent'),
  });
}

/** JSON, in which a key could otherwise control a terminal, or end a line for some viewers. */
const onOneLine = (value: object): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const redactedIfAny = (url: string | undefined) => (url === undefined ? undefined : redacted(url));

/** Only valid IP addresses: clients can put anything in X-Forwarded-For, such as forged fields. */
const addressOf = ({ address }: ObservedRequest): string | undefined =>
  address !== undefined && isIP(address) !== 0 ? address : undefined;

/** Rounds milliseconds to three decimal places. */
const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The time format of web servers, such as `10/Oct/2000:13:55:36 +0000`. */
function commonTime(ms: number): string {
  const iso = new Date(ms).toISOString();
  const month = MONTHS[Number(iso.slice(5, 7)) - 1];
  return `${iso.slice(8, 10)}/${month}/${iso.slice(0, 4)}:${iso.slice(11, 19)} +0000`;
}

/** Escapes text from clients, so that it cannot end a field or a line. */
const escaped = (text: string): string =>
  text.replace(/["\\]|[^\x20-\x7e]/g, (char) =>
    char === '"' || char === '\\' ? `\\${char}` : Array.from(Buffer.from(char), hex).join(''),
  );

const hex = (byte: number): string => `\\x${byte.toString(16).padStart(2, '0').toUpperCase()}`;
