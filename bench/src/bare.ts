import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { sizes } from './sizes.js';

/**
 * What a careful person writes by hand: PUT makes a new file, syncs it and answers its MD5; GET
 * pipes a file. No directory is synced, no name is checked, and nothing is atomic.
 */
export async function bareFiles(directory: string): Promise<RequestListener> {
  const answer = (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const path = join(directory, basename(req.url as string));
    if (req.method === 'GET') return get(path, res);
    const small = Number(req.headers['content-length']) <= sizes.smallBytes;
    return small ? putSmall(path, req, res) : putLarge(path, req, res);
  };
  return (req, res) => {
    answer(req, res).catch((error: Error) => res.writeHead(500).end(error.stack));
  };
}

async function get(path: string, res: ServerResponse): Promise<void> {
  const { size } = await stat(path);
  res.writeHead(200, { 'content-length': size });
  createReadStream(path).pipe(res);
}

async function putSmall(path: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('error', reject);
  });
  const file = await open(path, 'wx');
  await file.write(bytes);
  await file.sync();
  await file.close();
  acknowledge(res, createHash('md5').update(bytes).digest('hex'));
}

async function putLarge(path: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const md5 = createHash('md5');
  const file = await open(path, 'wx');
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
