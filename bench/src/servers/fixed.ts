/** The name of the bucket on all servers with buckets. */
export const BUCKET = 'bench';

export const OWNER = { tenantCode: 'bench', tenantId: '1', userId: 'bench', userName: 'Bench' };

export const CONSTANT = Buffer.alloc(1024, 'x');

/** Headers similar to those that the storage sends with an object. */
export const CONSTANT_HEADERS = {
  'content-type': 'application/octet-stream',
  etag: '"0123456789abcdef0123456789abcdef"',
  'last-modified': 'Sat, 21 Nov 2026 06:00:00 GMT',
  'accept-ranges': 'bytes',
};
