import { s3 } from '@bucketware/s3';
import test from 'ava';
import { carriers, listen, memoryStorage } from '../http/servers.js';
import { credentials } from './servers.js';

const KIB = 1024;

test('an answer that says what was deleted is sent, though it takes more memory than there is', async (t) => {
  const storage = await memoryStorage({ jsonMemory: 100 * KIB, onError: () => {} });
  t.teardown(() => storage.close());
  const options = { dialect: s3({ credentials }), authorize: () => true };
  const { origin, close } = await listen(carriers.node(storage, options));
  t.teardown(close);
  await storage.putBucket({ bucket: 'bucket' });
  const listed = `<Object><Key>${'>'.repeat(900)}</Key></Object>`;
  const body = `<Delete>${listed.repeat(100)}</Delete>`;
  for (let count = 0; count < 3; count++) {
    const answer = await fetch(`${origin}/bucket?delete`, { method: 'POST', body });
    t.is(answer.status, 200);
    t.is((await answer.text()).split('<Deleted>').length, 101);
  }
});

test('XML bodies are counted as memory of their caller, announced or not, and give it back', async (t) => {
  const storage = await memoryStorage({ jsonMemory: 100 * KIB, onError: () => {} });
  t.teardown(() => storage.close());
  const options = { dialect: s3({ credentials }), authorize: () => true };
  const { origin, close } = await listen(carriers.node(storage, options));
  t.teardown(close);
  await storage.putBucket({ bucket: 'bucket' });
  const remove = async (size: number, isAnnounced: boolean) => {
    const listed = `<Object><Key>${'a'.repeat(KIB - 26)}</Key></Object>`;
    const text = `<Delete>${listed.repeat(size / KIB)}</Delete>`;
    const body = isAnnounced ? text : new Blob([text]).stream();
    const request = { method: 'POST', body, duplex: 'half' } as RequestInit;
    const answer = await fetch(`${origin}/bucket?delete`, request);
    const code = /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1];
    return [answer.status, code, answer.headers.get('retry-after')];
  };
  for (const isAnnounced of [true, false]) {
    for (let count = 0; count < 3; count++) {
      t.deepEqual(await remove(100 * KIB, isAnnounced), [200, undefined, null]);
      t.deepEqual(await remove(200 * KIB, isAnnounced), [503, 'SlowDown', '5']);
    }
  }
});
