import type { IncomingMessage } from 'node:http';
import { originSent } from '@bucketware/core/node';

/**
 * Whether a request was sent by the console's own page. A page of another site cannot send JSON
 * without a preflight. The console never allows one, but the app in front may allow all origins, so
 * the headers that browsers send are checked as well.
 */
export function isOfOwnPage(req: IncomingMessage, trustProxy = false): boolean {
  const { headers } = req;
  if (!/^application\/json\b/.test(headers['content-type'] ?? '')) return false;
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site === 'same-origin';
  // Browsers do not send Sec-Fetch-Site over plain http, and old browsers never send it.
  if (origin === undefined) return true;
  const url = originSent(origin);
  if (url === undefined || url.host === '') return false;
  // Without the default port of the protocol.
  return originSent(`${url.protocol}//${ownHostOf(req, trustProxy)}`)?.host === url.host;
}

/** The host as browsers know it, with its port. */
function ownHostOf({ headers }: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? String(headers['x-forwarded-host'] ?? '') : '';
  return forwarded.split(',', 1)[0]?.trim() || String(headers.host ?? headers[':authority'] ?? '');
}

/** The maximum size of a request for a link, in bytes. */
const MOST = 16 * 1024;

/** Whether the app has read or decoded a body, and no parser has kept its JSON. */
export const isAlreadyRead = (req: IncomingMessage, parsed: unknown): boolean =>
  !isParsed(req, parsed) && (req.readableDidRead || req.readableEncoding !== null);

const isParsed = ({ readableEnded }: IncomingMessage, parsed: unknown): boolean =>
  typeof parsed === 'object' && parsed !== null && readableEnded;

/**
 * The JSON of a body that has not been read yet, or the result of a body parser; `undefined` if it
 * is not JSON.
 */
export async function jsonOf(req: IncomingMessage, parsed: unknown): Promise<unknown> {
  if (isParsed(req, parsed)) return parsed;
  const chunks: Buffer[] = [];
  let size = 0;
  // The connection must outlive the loop, so that the client gets the response.
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined; // JSON.parse throws nothing but SyntaxError.
  }
}
