import type { Dialect, Identified, Login, UnderstoodRequest } from './dialect.js';

/**
 * Identifies the caller. With `loginFirst`, a user of the host's login is the caller even of a signed
 * request. The signature is verified all the same: it also covers the body.
 */
export async function identify(
  dialect: Dialect,
  about: UnderstoodRequest,
  login: Login,
  loginFirst: boolean,
): Promise<Identified> {
  if (!loginFirst || about.operation.loginInBody) return dialect.identify(about, login);
  const user = await login();
  const identified = await dialect.identify(about, async () => user);
  return user === undefined ? identified : { ...identified, principal: user, bySignedUrl: false };
}
