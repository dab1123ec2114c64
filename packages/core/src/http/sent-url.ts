/**
 * The most characters of an origin: a scheme, a host name of up to 253 characters, and a port.
 */
const MAX_ORIGIN = 300;

/** The most characters of the URL of a page. Few browsers and servers accept longer ones. */
const MAX_PAGE = 2048;

/**
 * Parses an origin, or the scheme and host of a URL, that a client sent. `undefined`: it is not one,
 * or too long to be one. Parsing takes quadratic time, because the host may be international.
 */
export const originSent = (text: string): URL | undefined => parsed(text, MAX_ORIGIN);

/** Parses the URL of a page in the same way. */
export const pageSent = (text: string): URL | undefined => parsed(text, MAX_PAGE);

function parsed(text: string, most: number): URL | undefined {
  return text.length <= most && URL.canParse(text) ? new URL(text) : undefined;
}
