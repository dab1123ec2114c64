import { randomBytes } from 'node:crypto';
import type { Principal } from '@bucketware/storage';

/** The app's own users. A real app looks them up in its session or token service. */
export const users: Readonly<Record<string, Principal> & Record<'alice', Principal>> = {
  alice: { tenantCode: 'acme', tenantId: '1001', userId: 'u-alice', userName: 'Alice' },
  bob: { tenantCode: 'globex', tenantId: '2002', userId: 'u-bob', userName: 'Bob' },
};

export const userNamed = (name: string | undefined): Principal | undefined =>
  name !== undefined && Object.hasOwn(users, name) ? users[name] : undefined;

/** The users who are logged in, by cookie. A real app keeps sessions in its database. */
const sessions = new Map<string, Principal>();

/** The value of a `Set-Cookie` header that logs a browser in. */
export function logIn(user: Principal): string {
  const id = randomBytes(24).toString('base64url');
  sessions.set(id, user);
  // Pages of other sites cannot use it, and scripts cannot read it. Add `Secure` with https.
  return `session=${id}; Path=/; HttpOnly; SameSite=Lax`;
}

export const userOfCookie = (cookies: string | undefined): Principal | undefined =>
  sessions.get(/(?:^|;\s*)session=([\w-]+)/.exec(cookies ?? '')?.[1] ?? '');
