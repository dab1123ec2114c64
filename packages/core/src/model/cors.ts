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

/** The first rule that fits in every point, from top to bottom. */
export const matchCors = (
  rules: readonly CorsRule[],
  { origin, method, headers }: CorsRequest,
): CorsRule | undefined =>
  rules.find(
    ({ allowedOrigins, allowedMethods, allowedHeaders = [] }) =>
      allowedOrigins.some((pattern) => matchesWildcard(pattern, origin)) &&
      allowedMethods.includes(method) &&
      headers.every((name) =>
        allowedHeaders.some((pattern) => matchesWildcard(asciiLower(pattern), asciiLower(name))),
      ),
  );

/** Header names fold case in ASCII only; the Kelvin sign is no `k`. */
const asciiLower = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
