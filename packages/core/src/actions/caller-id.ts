import type { Principal } from '../contracts/principal.js';

/** The caller for whom turns and memory are counted. All anonymous callers count as one. */
export const callerId = (principal: Principal | undefined): string =>
  principal === undefined ? '' : JSON.stringify([principal.tenantId, principal.userId]);
