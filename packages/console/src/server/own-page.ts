import type { IncomingMessage } from 'node:http';

/**
 * Whether the console itself sent a request that asks for something. A page of another site cannot
 * send JSON without a preflight, which is never allowed; browsers say the rest.
 */
export function isOfOwnPage({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  const isJson = /^application\/json\b/.test(headers['content-type'] ?? '');
  return isJson && (site === undefined || site === 'same-origin');
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
