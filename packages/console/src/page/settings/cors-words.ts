import type { CorsRule } from '@bucketware/client';

/** The first rule that allows a page of an origin a method, from 0. */
export function firstMatch(
  rules: readonly CorsRule[],
  origin: string,
  method: string,
): number | undefined {
  const at = rules.findIndex(
    ({ allowedOrigins, allowedMethods }) =>
      (allowedMethods as readonly string[]).includes(method) &&
      allowedOrigins.some((pattern) => matches(pattern, origin)),
  );
  return at < 0 ? undefined : at;
}

/** A pattern has at most one `*`. Only `*` and `null` themselves match pages without an origin. */
function matches(pattern: string, origin: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === origin;
  if (origin === 'null') return pattern === '*';
  const [head, tail] = [pattern.slice(0, star), pattern.slice(star + 1)];
  const fits = origin.length >= head.length + tail.length;
  return fits && origin.startsWith(head) && origin.endsWith(tail);
}

export function explainCors({ allowedOrigins, allowedMethods }: CorsRule): string {
  const who = allowedOrigins.includes('*')
    ? 'Pages of any site'
    : `Pages of ${allowedOrigins.join(', ') || 'no site'}`;
  return `${who} may send ${allowedMethods.join(', ') || 'nothing'}.`;
}
