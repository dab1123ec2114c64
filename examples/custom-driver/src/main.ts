import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createObjectStorage } from '@bucketware/core';
import { storageMiddleware } from '@bucketware/koa';
import { lmdbMetadata } from '@bucketware/lmdb';
import Koa from 'koa';
import { sqliteBlobs } from './sqlite-blobs.js';

const { PORT = '3000', DATA_DIR = 'data' } = process.env;
mkdirSync(DATA_DIR, { recursive: true });

// Any two drivers make a storage.
const storage = await createObjectStorage({
  metadata: await lmdbMetadata({ directory: join(DATA_DIR, 'records') }),
  blobs: sqliteBlobs(join(DATA_DIR, 'bytes.db')),
});

// Everybody is Alice here. A real app returns the user who is logged in.
const alice = { tenantCode: 'acme', tenantId: '1001', userId: 'u-alice', userName: 'Alice' };
const app = new Koa();
app.use(storageMiddleware(storage, { mount: '/storage', principal: () => alice }));

const server = app.listen(Number(PORT), '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as { port: number };
const url = `http://127.0.0.1:${port}`;
console.log(`listening on ${url}`);
console.log(`
  curl -X PUT ${url}/storage/notes
  curl -X PUT --data-binary @README.md ${url}/storage/notes/readme
  curl ${url}/storage/notes/readme
`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, async () => {
    const closed = once(server, 'close');
    server.close();
    await closed;
    await storage.close();
  });
}
