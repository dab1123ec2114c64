import type { Principal } from '../../contracts/principal.js';
import { isText, shape } from './shape.js';

export const isPrincipal = shape<Principal>({
  tenantCode: isText,
  tenantId: isText,
  userId: isText,
  userName: isText,
});
