// A careful implementation by hand, without a framework: PUT creates a file, syncs it and returns
// its MD5; GET pipes a file. No directory is synced, no name is checked, and nothing is atomic.
// Usage: `node bare.js <directory>`
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat, unlink } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { listen } from './listen.js';

const [directory = ''] = process.argv.slice(2);
const SMALL_BYTES = 64 * 1024;

listen((req, res) => {
  answer(req, res).catch((error: Error) => res.writeHead(500).end(error.stack));
});

function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const path = join(directory, basename(req.url as string));
  if (req.method === 'DELETE') return remove(path, res);
  if (req.method !== 'PUT') return get(path, req, res);
  const small = Number(req.headers['content-length']) <= SMALL_BYTES;
  return small ? putSmall(path, req, res) : putLarge(path, req, res);
}

async function get(path: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { size } = await stat(path);
  res.writeHead(200, { 'content-length': size });
  if (req.method === 'HEAD') res.end();
  else createReadStream(path).pipe(res);
}

async function remove(path: string, res: ServerResponse): Promise<void> {
  await unlink(path);
  res.writeHead(204).end();
}

async function putSmall(path: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('error', reject);
  });
  const file = await open(path, 'w');
  await file.write(bytes);
  await file.sync();
  await file.close();
  acknowledge(res, createHash('md5').update(bytes).digest('hex'));
}

async function putLarge(path: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const md5 = createHash('md5');
  const file = await open(path, 'w');
  for await (const chunk of req) {
    md5.update(chunk as Buffer);
    await file.write(chunk as Buffer);
  }
  await file.sync();
  await file.close();
  acknowledge(res, md5.digest('hex'));
}

function acknowledge(res: ServerResponse, md5: string): void {
  res.writeHead(200, { etag: `"${md5}"`, 'content-length': 0 }).end();
}
