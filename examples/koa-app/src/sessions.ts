import { randomBytes } from 'node:crypto';
import type { Principal } from '@bucketware/storage';

/** Who is logged in, by the cookie of their browser. A real app keeps this in its database. */
const sessions = new Map<string, Principal>();

/** The value of a `Set-Cookie` that logs a browser in. */
export function logIn(user: Principal): string {
  const id = randomBytes(24).toString('base64url');
  sessions.set(id, user);
  // Pages of other sites cannot use it, and scripts cannot read it. Add `Secure` where there is https.
  return `session=${id}; Path=/; HttpOnly; SameSite=Lax`;
}

export const userOf = (cookies: string | undefined): Principal | undefined =>
  sessions.get(/(?:^|;\s*)session=([\w-]+)/.exec(cookies ?? '')?.[1] ?? '');
