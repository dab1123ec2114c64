import { bucketDriver } from '@bucketware/unstorage';
import test, { type ExecutionContext } from 'ava';
import { createStorage, prefixStorage, restoreSnapshot, snapshot } from 'unstorage';
import { alice, bob, memoryStorage } from './servers.js';

async function open(t: ExecutionContext, prefix?: string) {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  await storage.as(alice).putBucket({ bucket: 'values' });
  const driver = bucketDriver({ storage: storage.as(alice), bucket: 'values', prefix });
  return { storage, driver, values: createStorage({ driver }) };
}

test('unstorage: values of all kinds are returned unchanged', async (t) => {
  const { values, storage } = await open(t);
  t.is(await values.getItem('none'), null);
  t.false(await values.hasItem('none'));
  await values.removeItem('none');
  const given = { text: 'text', zero: 0, no: false, yes: true, 'a:object': { json: [1, 'two'] } };
  for (const [key, value] of Object.entries(given)) await values.setItem(key, value);
  for (const [key, value] of Object.entries(given)) t.deepEqual(await values.getItem(key), value);
  const bytes = new Uint8Array([0, 255, 128, 10]);
  await values.setItemRaw('raw.bin', bytes);
  t.deepEqual(Array.from((await values.getItemRaw('raw.bin')) as Uint8Array), Array.from(bytes));
  t.is(
    await (await storage.getObject({ bucket: 'values', key: 'a/object' })).text(),
    '{"json":[1,"two"]}',
  );
  await values.removeItem('text');
  t.is(await values.getItem('text'), null);
});

test('unstorage: keys are listed below a base and to a depth', async (t) => {
  const { values } = await open(t, 'cache/');
  const keys = ['a', 'b:c', 'b:d:e', 'b:d:f', 'b:d:g:h', 'bb'];
  await values.setItems(keys.map((key) => ({ key, value: key })));
  t.deepEqual((await values.getKeys()).sort(), keys);
  t.deepEqual(await values.getKeys('b'), ['b:c', 'b:d:e', 'b:d:f', 'b:d:g:h']);
  t.deepEqual(await values.getKeys('', { maxDepth: 0 }), ['a', 'bb']);
  t.deepEqual((await values.getKeys('', { maxDepth: 1 })).sort(), ['a', 'b:c', 'bb']);
  t.deepEqual((await values.getKeys('b', { maxDepth: 2 })).sort(), ['b:c', 'b:d:e', 'b:d:f']);
  t.deepEqual(await values.getKeys('b:d', { maxDepth: 0 }), []);
  t.deepEqual(await prefixStorage(values, 'b:d').getKeys(), ['e', 'f', 'g:h']);
});

test('unstorage: clear removes everything below its base, however much, and nothing else', async (t) => {
  const { values, driver, storage } = await open(t, 'mine/');
  await storage.putObject({ bucket: 'values', key: 'theirs', body: 'x' });
  const many = Array.from({ length: 1_234 }, (_, at) => ({ key: `many:${at}`, value: at }));
  await values.setItems([...many, { key: 'other', value: 1 }]);
  await driver.clear('many:'); // The clear of unstorage accepts only mount points.
  t.deepEqual(await values.getKeys(), ['other']);
  await values.clear();
  await values.clear();
  const { contents } = await storage.listObjects({ bucket: 'values' });
  t.deepEqual(
    contents.map(({ key }) => key),
    ['theirs'],
  );
});

test('unstorage: snapshots, metadata and types', async (t) => {
  const { values, driver } = await open(t);
  await restoreSnapshot(values, { 'x:y': 'works' });
  t.deepEqual(await snapshot(values, ''), { 'x:y': 'works' });
  await values.setItem('typed', 'text', { contentType: 'text/plain', metadata: { by: 'ann' } });
  const meta = await values.getMeta('typed', { nativeOnly: true });
  t.like(meta, { size: 4, contentType: 'text/plain', by: 'ann' });
  t.true(meta.mtime instanceof Date);
  t.is(await driver.getMeta('none'), null);
});

test('unstorage: a prefix without a slash at its end is refused, because others could begin with it', async (t) => {
  const message = 'The option "prefix" must end with a slash. Write "u1/".';
  await t.throwsAsync(open(t, 'u1'), { instanceOf: TypeError, message });
  const { driver: first, storage } = await open(t, 'u1/');
  const second = bucketDriver({ storage: storage.as(alice), bucket: 'values', prefix: 'u10/' });
  await second.setItem('cart', 'text');
  await first.clear();
  t.deepEqual(await second.getKeys(), ['cart']);
  t.deepEqual(await first.getKeys(), []);
});

test('unstorage: a time to live is refused, because values do not expire', async (t) => {
  const { values } = await open(t);
  const refused = { instanceOf: TypeError, message: /"ttl" is not supported/ };
  await t.throwsAsync(values.setItem('one', 'text', { ttl: 60 }), refused);
  await t.throwsAsync(values.setItemRaw('one', new Uint8Array(1), { ttl: 60 }), refused);
  await t.throwsAsync(values.setItems([{ key: 'one', value: 'text' }], { ttl: 60 }), refused);
  await t.throwsAsync(values.setMeta('one', { by: 'ann' }, { ttl: 60 }), refused);
  t.deepEqual(await values.getKeys(), []);
  await values.setItem('one', 'text', { ttl: 0 });
  await values.setItem('two', 'text', { ttl: undefined });
  t.deepEqual(await values.getKeys(), ['one', 'two']);
});

test('unstorage: permissions of the caller apply, and a missing bucket is an error', async (t) => {
  const { storage, values } = await open(t);
  await values.setItem('mine', 1);
  const others = createStorage({
    driver: bucketDriver({ storage: storage.as(bob), bucket: 'values' }),
  });
  await t.throwsAsync(others.getItem('mine'), { code: 'AccessDenied' });
  await t.throwsAsync(others.clear(), { code: 'AccessDenied' });
  const nowhere = createStorage({ driver: bucketDriver({ storage, bucket: 'nowhere' }) });
  await t.throwsAsync(nowhere.getItem('mine'), { code: 'NoSuchBucket' });
});

test('unstorage: unknown options of a call are refused', async (t) => {
  const storage = await memoryStorage();
  await storage.putBucket({ bucket: 'values' });
  const values = createStorage({ driver: bucketDriver({ storage, bucket: 'values' }) });
  const message = /setItem\(\) has no option contentTyp\. Did you mean contentType\?/;
  await t.throwsAsync(values.setItem('a', 'x', { contentTyp: 'text/css' }), { message });
  t.deepEqual(await values.getKeys(), []);
});
