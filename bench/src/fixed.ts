import { sizes } from './sizes.js';

export const BUCKET = 'bench';

export const OWNER = { tenantCode: 'bench', tenantId: '1', userId: 'bench', userName: 'Bench' };

/** Where an object is, on servers of the storage; a file, on the bare one. */
export const pathOf = (key: string): string => `/storage/${BUCKET}/${key}`;

export const CONSTANT = Buffer.alloc(sizes.smallBytes, 'x');

/** About what the storage sends with an object. */
export const CONSTANT_HEADERS = {
  'content-type': 'application/octet-stream',
  etag: '"0123456789abcdef0123456789abcdef"',
  'last-modified': 'Sat, 21 Nov 2026 06:00:00 GMT',
  'accept-ranges': 'bytes',
};
