import type { Readable as NodeReadable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { StorageError } from '@bucketware/core';
import test from 'ava';
// @ts-expect-error: It has no types.
import foreign from 'readable-stream';
import { memoryStorage } from './servers.js';

const { Readable } = foreign as { readonly Readable: typeof NodeReadable };

const place = { bucket: 'bucket', key: 'key' };

async function stored() {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket: 'bucket' });
  await storage.putObject({ ...place, body: 'good' });
  const text = async () => (await storage.getObject(place)).text();
  return { storage, text };
}

test('a stream of readable-stream is stored', async (t) => {
  const { storage, text } = await stored();
  await storage.putObject({ ...place, body: Readable.from(['a', Buffer.from('b'), 'c']) });
  t.is(await text(), 'abc');
});

test('a stream of readable-stream that is closed before its end replaces nothing', async (t) => {
  const { storage, text } = await stored();
  const body = new Readable({ read() {} });
  body.push('half of ');
  const storing = storage.putObject({ ...place, body });
  await setImmediate();
  body.destroy();
  const error = await t.throwsAsync<StorageError>(storing);
  t.regex(String(error?.cause ?? error), /closed before its end/);
  t.is(await text(), 'good');
});

test('a stream of readable-stream that was used elsewhere is refused', async (t) => {
  const { storage, text } = await stored();
  const used = Readable.from(['first']);
  await storage.putObject({ ...place, key: 'other', body: used });
  const destroyed = Readable.from(['destroyed']);
  destroyed.destroy();
  const flowing = Readable.from(['flowing']);
  flowing.on('data', () => {});
  const paused = Readable.from(['first', 'rest']);
  paused.once('data', () => paused.pause());
  await setImmediate();
  for (const body of [used, destroyed, flowing, paused]) {
    const error = await t.throwsAsync<StorageError>(storage.putObject({ ...place, body }));
    t.is(error?.code, 'InvalidArgument');
  }
  t.is(await text(), 'good');
});

test('a stream of readable-stream is destroyed if its call is refused, and may fail later', async (t) => {
  const { storage } = await stored();
  const body = new Readable({ read() {} });
  const error = await t.throwsAsync<StorageError>(
    storage.putObject({ bucket: 'absent', key: 'key', body }),
  );
  t.is(error?.code, 'NoSuchBucket');
  t.true(body.destroyed);
  // Without a listener, this would end the process.
  body.emit('error', new Error('late'));
});
