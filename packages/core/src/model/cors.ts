import { matchesWildcard } from './acl.js';

/** One CORS rule, in the words of the wire. */
export interface CorsRule {
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly string[];
  readonly allowedHeaders?: readonly string[];
  readonly allowedExposeHeaders?: readonly string[];
  readonly maxAgeSeconds?: number;
}

export interface CorsRequest {
  readonly origin: string;
  readonly method: string;
  /** As the client wrote them. Empty on actual requests. */
  readonly headers: readonly string[];
}

/** Nobody asks for more; who does is told no, so that asking costs little. */
const MAX_HEADERS = 100;

/** The first rule that fits in every point, from top to bottom. */
export function matchCors(
  rules: readonly CorsRule[],
  { origin, method, headers }: CorsRequest,
): CorsRule | undefined {
  const names = [...new Set(headers.map(asciiLower))];
  if (names.length > MAX_HEADERS) return undefined;
  return rules.find(({ allowedOrigins, allowedMethods, allowedHeaders = [] }) => {
    const fits =
      allowedMethods.includes(method) &&
      allowedOrigins.some((pattern) => matchesWildcard(pattern, origin));
    if (!fits || names.length === 0) return fits;
    const patterns = allowedHeaders.map(asciiLower);
    return names.every((name) => patterns.some((pattern) => matchesWildcard(pattern, name)));
  });
}

/** Header names fold case in ASCII only; the Kelvin sign is no `k`. */
const asciiLower = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
