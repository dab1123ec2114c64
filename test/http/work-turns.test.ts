import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { createObjectStorage, memoryBlobs, memoryMetadata } from '@bucketware/core';
import test, { type ExecutionContext } from 'ava';
import { until } from '../drivers/fixtures.js';
import { listen, onNode } from './servers.js';

const MIB = 2 ** 20;

interface Pending {
  readonly request: ClientRequest;
  /** The status of the response. */
  readonly answer: Promise<number>;
}

/** A server whose listings with a prefix such as `held-a` wait until the test releases them. */
async function heldListings(t: ExecutionContext, settings: { jsonMemory?: number } = {}) {
  const metadata = memoryMetadata();
  const list = metadata.list.bind(metadata);
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  metadata.list = async (range) => {
    const prefix = /^o\/.*held-(\w)$/.exec(range.prefix)?.[1];
    if (prefix !== undefined) {
      begun.push(prefix);
      await new Promise<void>((resolve) => gates.set(prefix, resolve));
    }
    return list(range);
  };
  const storage = await createObjectStorage({ metadata, blobs: memoryBlobs(), ...settings });
  t.teardown(() => storage.close());
  await storage.putBucket({ bucket: 'bucket' });
  await storage.putObject({ bucket: 'bucket', key: 'object', body: 'x' });

  let admitted = 0;
  const handle = onNode(storage, {
    authorize() {
      admitted++;
      return true;
    },
  });
  const gone = new Set<string | undefined>();
  const { origin, close } = await listen((req, res) => {
    res.once('close', () => gone.add(req.url));
    return handle(req, res);
  });
  t.teardown(() => {
    for (const open of gates.values()) open();
    return close();
  });

  const ask = (caller: string, method: string, query: string, body = ''): Pending => {
    const headers = { authorization: `Bearer ${caller}`, 'content-length': body.length };
    const outgoing = request(`${origin}/bucket?${query}`, { method, headers, agent: false });
    const answer = once(outgoing, 'response').then(([response]: IncomingMessage[]) => {
      response?.resume();
      return response?.statusCode ?? 0;
    });
    outgoing.end(body);
    return { request: outgoing, answer };
  };
  return {
    begun,
    gone,
    open: (prefix: string) => gates.get(prefix)?.(),
    holds: async () => (await storage.listObjects({ bucket: 'bucket' })).contents.length > 0,
    /** Sends a listing of Alice, and waits until the server has admitted it. */
    async list(prefix: string): Promise<Pending> {
      const before = admitted;
      const outgoing = ask('alice', 'GET', `prefix=held-${prefix}`);
      outgoing.answer.catch(() => {});
      await until(() => admitted > before);
      return outgoing;
    },
    remove: (caller: string, key: string, size = 0) =>
      ask(caller, 'POST', 'delete', JSON.stringify({ objects: [{ key }] }).padEnd(size)).answer,
  };
}

test('four listings and batches of a caller run at a time, and other callers do not wait for them', async (t) => {
  const { begun, list, open, remove, holds } = await heldListings(t);
  const listings = [];
  for (const prefix of 'abcde') listings.push(await list(prefix));
  const batch = remove('alice', 'object');
  t.is(await remove('bob', 'absent'), 200);
  t.deepEqual(begun, [...'abcd']);
  t.true(await holds(), 'the batch waits too');

  open('b');
  t.is(await listings[1]?.answer, 200);
  await until(() => begun.length === 5);
  t.deepEqual(begun, [...'abcde']);
  t.true(await holds());
  open('a');
  t.is(await batch, 200);
  t.false(await holds());
  for (const prefix of 'cde') open(prefix);
  for (const { answer } of listings) t.is(await answer, 200);
});

test('waiting batches count against the memory limit of their caller', async (t) => {
  const { list, open, remove } = await heldListings(t, { jsonMemory: 6 * MIB });
  const listings = [];
  for (const prefix of 'abcd') listings.push(await list(prefix));
  const large = (caller: string) => remove(caller, 'absent', 1.5 * MIB);
  // A caller may use 4 MiB. The third to arrive is rejected, while the others wait.
  const batches = [large('alice'), large('alice'), large('alice')];
  t.is(await Promise.race(batches), 503);
  t.is(await large('bob'), 200);
  for (const prefix of 'abcd') open(prefix);
  for (const { answer } of listings) t.is(await answer, 200);
  t.deepEqual((await Promise.all(batches)).sort(), [200, 200, 503]);
  t.is(await large('alice'), 200);
});

test('a caller who disconnects while waiting gives up the turn', async (t) => {
  const { begun, gone, list, open } = await heldListings(t);
  const listings = [];
  for (const prefix of 'abcd') listings.push(await list(prefix));
  const leaving = await list('e');
  const staying = await list('f');
  leaving.request.destroy();
  await until(() => gone.has('/bucket?prefix=held-e'));
  open('a');
  await until(() => begun.length === 5);
  t.deepEqual(begun, [...'abcdf']);
  for (const prefix of 'bcdf') open(prefix);
  for (const { answer } of [...listings, staying]) t.is(await answer, 200);
});
