// Changes its working directory while drivers with relative paths are open.
import { mkdirSync } from 'node:fs';
import { createObjectStorage } from '@bucketware/core';
import { filesystemBlobs } from '@bucketware/filesystem';
import { lmdbMetadata } from '@bucketware/lmdb';
import { sqliteMetadata } from '@bucketware/sqlite';

const [directory = ''] = process.argv.slice(2);
const size = 100_000;

for (const [at, open] of [
  ['blobs-1', () => lmdbMetadata({ directory: 'records' })],
  ['blobs-2', () => sqliteMetadata({ path: ':memory:' })],
] as const) {
  process.chdir(directory);
  const blobs = await filesystemBlobs({ directory: at });
  const storage = await createObjectStorage({ blobs, metadata: await open() });
  await storage.putBucket({ bucket: 'bucket' });
  await storage.putObject({ bucket: 'bucket', key: 'before', body: Buffer.alloc(size) });
  mkdirSync(`other/${at}`, { recursive: true });
  process.chdir('other');
  await storage.putObject({ bucket: 'bucket', key: 'after', body: Buffer.alloc(size) });
  for (const key of ['before', 'after']) {
    const { length } = await (await storage.getObject({ bucket: 'bucket', key })).bytes();
    console.log(key, length);
  }
  const { contents } = await storage.listObjects({ bucket: 'bucket' });
  for (const { key } of contents) console.log(key);
  await storage.close();
}
