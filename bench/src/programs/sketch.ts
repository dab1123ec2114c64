// The minimum cost of the same responses on Koa: it reads three records of LMDB and sets the same
// headers as the storage. Nothing is checked. Usage: `node sketch.js <directory> <headers as JSON>`
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { basename } from 'node:path';
import Koa from 'koa';
import { open } from 'lmdb';
import { BUCKET, OWNER } from '../servers/fixed.js';
import { listen } from './listen.js';

interface StoredObject {
  readonly size: number;
  readonly etag: string;
  readonly lastModified: number;
  readonly type: string;
  readonly bytes: Buffer;
}

const [path = '', headers = '[]'] = process.argv.slice(2);
const records = open({ path, maxDbs: 1, noSubdir: false });
await records.put(`b/${BUCKET}`, { id: 'k2v9', owner: OWNER, created: Date.now(), acl: [] });
await records.put('s/k2v9', { lifecycle: [], cors: [] });

/** Computes the headers that depend on the object. All others are the same for every object. */
const fromObject: Record<string, (object: StoredObject) => string> = {
  etag: ({ etag }) => `"${etag}"`,
  'content-md5': ({ etag }) => Buffer.from(etag, 'hex').toString('base64'),
  'last-modified': ({ lastModified }) => new Date(lastModified).toUTCString(),
  'content-type': ({ type }) => type,
  'content-length': ({ size }) => String(size),
};
const setters = (JSON.parse(headers) as [name: string, value: string][]).map(([name, value]) => {
  const unique = name.includes('request-id') ? () => randomUUID() : undefined;
  return [name, unique ?? fromObject[name] ?? (() => value)] as const;
});

const app = new Koa();
app.use(async (ctx) => {
  const name = basename(ctx.path);
  if (ctx.method === 'PUT') {
    ctx.set('etag', `"${await put(name, ctx.req)}"`);
    ctx.status = 200;
    ctx.body = '';
    return;
  }
  const bucket: { id: string } = records.get(`b/${BUCKET}`);
  const settings: { cors: unknown[] } = records.get(`s/${bucket.id}`);
  const object: StoredObject | undefined = records.get(`o/${bucket.id}/${name}`);
  if (object === undefined || settings.cors.length > 0) return;
  ctx.body = object.bytes;
  for (const [header, textOf] of setters) ctx.set(header, textOf(object));
});
listen(app.callback());

async function put(name: string, req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const etag = createHash('md5').update(bytes).digest('hex');
  const type = 'application/octet-stream';
  const object: StoredObject = { size: bytes.length, etag, lastModified: Date.now(), type, bytes };
  await records.put(`o/k2v9/${name}`, object);
  await records.flushed;
  return etag;
}
