import type { Principal } from '../../contracts/principal.js';

/** Identifies the caller for limits on turns and memory. All anonymous callers count as one. */
export const callerId = (principal: Principal | undefined): string =>
  principal === undefined ? '' : JSON.stringify([principal.tenantId, principal.userId]);
