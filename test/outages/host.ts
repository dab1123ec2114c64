/**
 * One of several hosts on one storage, as a separate process. It has short timeouts for its
 * backends, and its clock may be wrong.
 */
import { createServer } from 'node:http';
import { createObjectStorage, type Principal } from '@bucketware/core';
import { serve } from '@bucketware/core/node';
import { postgresMetadata } from '@bucketware/postgres';
import { s3Blobs } from '@bucketware/s3-blobs';

const { METADATA = '', BLOBS = '', SKEW = '0', PORT = '0' } = process.env;
const storage = await createObjectStorage({
  metadata: await postgresMetadata({ url: METADATA, timeout: 2000 }),
  blobs: await s3Blobs({ url: BLOBS, timeout: 3000 }),
  now: () => Date.now() + Number(SKEW),
  uniqueUserIds: true,
  sweepEvery: 500,
  readGrace: 60_000,
  // The test expects reports of outages.
  onError: () => {},
});
const alice: Principal = {
  tenantCode: 'acme',
  tenantId: '1001',
  userId: 'u-alice',
  userName: 'Alice',
};
const handle = storage.handler({ mount: '/storage', onError: () => {} });
const server = createServer((req, res) => {
  const context = { url: req.url ?? '/', mount: '', principal: () => alice };
  void serve(handle, req, res, context);
});
server.listen(Number(PORT), '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  console.log(`listening on http://127.0.0.1:${port}`);
});
process.once('SIGTERM', () => {
  server.close(() => void storage.close());
  server.closeIdleConnections();
});
