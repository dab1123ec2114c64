/*
 * Replaces the functions of node:fs as monitoring agents do: the new ones lack what promisify needs
 * to know. Then stores and reads objects. Arguments: an empty directory.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';

type Function = (...given: unknown[]) => unknown;

const functions = fs as unknown as Record<string, Function>;
for (const name of ['read', 'write', 'writev', 'open', 'close', 'fstat', 'fsync', 'ftruncate']) {
  const original = functions[name] as Function;
  functions[name] = (...given) => original.apply(fs, given);
}
const { openStorage } = await import('@bucketware/storage');

const storage = await openStorage({ directory: process.argv[2] });
await storage.putBucket({ bucket: 'bucket' });
for (const size of [0, 10, 100_000, 300_000, 5_000_000]) {
  const body = Buffer.alloc(size, 'data');
  const object = { bucket: 'bucket', key: String(size) };
  await storage.putObject({ ...object, body });
  assert.ok(body.equals(await (await storage.getObject(object)).bytes()), `${size}`);
}
await storage.close();
