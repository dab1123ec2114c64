import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyvMetadata } from '@bucketware/keyv';
import { openStorage } from '@bucketware/storage';
import KeyvRedis from '@keyv/redis';
import test from 'ava';
import { Keyv } from 'keyv';
import { directoryOf } from '../drivers/fixtures.js';
import { type Missing, ownPostgres, ownRedis, type Server } from './servers.js';

/** No server listens there. */
const NOBODY = '127.0.0.1:1';

const messagesOf = (error: unknown): string[] =>
  error instanceof Error ? [error.message, ...messagesOf(error.cause)] : [];

/** Writes an object, and reads it after the storage was opened again with the same config. */
async function proveUrl(metadata: string, directory: string): Promise<string> {
  const first = await openStorage({ directory, metadata });
  await first.putBucket({ bucket: 'notes' });
  await first.putObject({ bucket: 'notes', key: 'a', body: 'hello' });
  await first.close();
  const second = await openStorage({ directory, metadata });
  const text = String(await (await second.getObject({ bucket: 'notes', key: 'a' })).bytes());
  await second.close();
  return text;
}

const SERVERS: readonly (readonly [string, () => Promise<Server | Missing>])[] = [
  ['redis', ownRedis],
  ['postgres', ownPostgres],
];
for (const [name, open] of SERVERS) {
  test(`a configuration can name its records by a ${name} URL`, async (t) => {
    const server = await open();
    if (typeof server === 'string') {
      t.log(`SKIPPED: ${server}.`);
      return t.pass();
    }
    const directory = await directoryOf(t);
    t.is(await proveUrl(server.url, directory), 'hello');
    await server.stop();
  });
}

test('a configuration can name its records by a path for SQLite, whose directory is created', async (t) => {
  const directory = await directoryOf(t);
  const path = join(directory, 'a', 'b', 'records.db');
  t.is(await proveUrl(`sqlite:${path}`, directory), 'hello');
  t.true((await stat(path)).isFile());
  const modes = await Promise.all([path, join(directory, 'a')].map((at) => stat(at)));
  t.deepEqual(
    modes.map(({ mode }) => mode & 0o777),
    [0o600, 0o700],
  );
});

test('a SQLite URL that is not a path is rejected with advice, and nothing is created', async (t) => {
  const directory = await directoryOf(t);
  const path = join(directory, 'a', 'records.db');
  const paths = ['?key=topsecret', '#topsecret', '?', '?mode=memory'].map((end) => path + end);
  for (const wrong of [...paths, `file:${path}`, `/${path}`, '', ':memory:', ':memory:?x']) {
    const opening = openStorage({ directory, metadata: `sqlite:${wrong}` });
    const messages = messagesOf(await t.throwsAsync(opening, undefined, wrong)).join();
    t.regex(messages, wrong === ':memory:' ? /metadata: 'memory'/ : /form sqlite:<path>/, wrong);
    t.notRegex(messages, /topsecret/);
  }
  t.deepEqual(await readdir(directory), []);
});

test('the permissions of a database file that everyone could read are restricted when it is opened', async (t) => {
  const directory = await directoryOf(t);
  const path = join(directory, 'records.db');
  await writeFile(path, '', { mode: 0o644 });
  t.is(await proveUrl(`sqlite:${path}`, directory), 'hello');
  t.is((await stat(path)).mode & 0o777, 0o600);
});

test('a Redis that rejects the password is reported as the reason, without the password', async (t) => {
  const server = await ownRedis();
  if (typeof server === 'string') {
    t.log(`SKIPPED: ${server}.`);
    return t.pass();
  }
  const adapter = new KeyvRedis(server.url.replace('://', '://user:topsecret@'));
  const opening = keyvMetadata(new Keyv({ store: adapter }), { timeout: 500 });
  const messages = messagesOf(await t.throwsAsync(opening)).join();
  t.regex(messages, /within 500 ms.*WRONGPASS/);
  t.notRegex(messages, /topsecret/);
  await adapter.disconnect(true).catch(() => undefined);
  await server.stop();
});

test('the error of a call that takes too long contains the connection failure', async (t) => {
  const adapter = new KeyvRedis(`redis://${NOBODY}`);
  const opening = keyvMetadata(new Keyv({ store: adapter }), { timeout: 500 });
  const messages = messagesOf(await t.throwsAsync(opening));
  t.regex(messages.join(), /within 500 ms.*ECONNREFUSED/);
  await adapter.disconnect(true).catch(() => undefined);
});
