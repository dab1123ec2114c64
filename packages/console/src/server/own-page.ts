import type { IncomingMessage } from 'node:http';

/**
 * Whether the console itself sent a request that asks for something. A page of another site cannot
 * send JSON without a preflight, which the console never allows; but the app in front may allow it
 * to all origins. Browsers say the rest.
 */
export function isOfOwnPage(req: IncomingMessage, trustProxy = false): boolean {
  const { headers } = req;
  if (!/^application\/json\b/.test(headers['content-type'] ?? '')) return false;
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site === 'same-origin';
  // Browsers do not send Sec-Fetch-Site to plain http, and older ones to nobody.
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  const own = `${protocol}//${ownHostOf(req, trustProxy)}`;
  // Without the default port of the protocol.
  return host !== '' && URL.canParse(own) && new URL(own).host === host;
}

/** The host as browsers know it, with its port. */
function ownHostOf({ headers }: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy ? String(headers['x-forwarded-host'] ?? '') : '';
  return forwarded.split(',', 1)[0]?.trim() || String(headers.host ?? headers[':authority'] ?? '');
}

/** More is not a request for a link. */
const MOST = 16 * 1024;

/** The JSON of a body that nobody has read yet, or that a body parser left. Undefined: it is none. */
export async function jsonOf(req: IncomingMessage, parsed: unknown): Promise<unknown> {
  if (typeof parsed === 'object' && parsed !== null && req.readableEnded) return parsed;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined; // A SyntaxError is all that JSON.parse throws.
  }
}
