import { Readable } from 'node:stream';
import { s3 } from '@bucketware/s3';
import test, { type ExecutionContext } from 'ava';
import { dial } from '../http/raw.js';
import { listen, memoryStorage, onNode } from '../http/servers.js';
import { credentials } from './servers.js';

const KIB = 1024;

/** The origin of a storage with a bucket that everybody may use. */
async function servedBucket(t: ExecutionContext, jsonMemory?: number): Promise<string> {
  const storage = await memoryStorage({ jsonMemory, onError: () => {} });
  t.teardown(() => storage.close());
  const options = { dialect: s3({ credentials }), authorize: () => true };
  const { origin, close } = await listen(onNode(storage, options));
  t.teardown(close);
  await storage.putBucket({ bucket: 'bucket' });
  return origin;
}

test('the response about deleted objects is sent even if it exceeds the memory limit', async (t) => {
  const origin = await servedBucket(t, 100 * KIB);
  const listed = `<Object><Key>${'>'.repeat(900)}</Key></Object>`;
  const body = `<Delete>${listed.repeat(100)}</Delete>`;
  for (let count = 0; count < 3; count++) {
    const answer = await fetch(`${origin}/bucket?delete`, { method: 'POST', body });
    t.is(answer.status, 200);
    t.is((await answer.text()).split('<Deleted>').length, 101);
  }
});

test('the memory reserved for a response is that of its XML, where characters are escaped', async (t) => {
  const storage = await memoryStorage({ jsonMemory: 8192 * KIB, onError: () => {} });
  t.teardown(() => storage.close());
  await storage.putBucket({ bucket: 'bucket' });
  const handle = storage.handler({ dialect: s3({ credentials }), authorize: () => true });
  const listed = (at: number) => `<Object><Key>${at}${'&amp;'.repeat(1_000)}</Key></Object>`;
  const body = `<Delete>${Array.from({ length: 14 }, (_, at) => listed(at)).join('')}</Delete>`;
  const xml = Buffer.from(body);
  const unread = [];
  for (let count = 0; count < 100; count++) {
    const response = await handle({
      ...{ method: 'POST', url: '/bucket?delete', mount: '', encrypted: false },
      rawHeaders: ['Host', 'x', 'Content-Length', `${xml.length}`],
      body: { parsed: undefined, chunks: () => Readable.from([xml]), whole: async () => xml },
      principal: () => undefined,
    });
    if (response?.status === 200) unread.push(response);
  }
  // A caller may use 4 MiB, and 54 KiB of each response are counted.
  t.true(unread.length > 60 && unread.length < 85, `${unread.length} of 100`);
});

test('XML bodies count against the memory limit of their caller, announced or not, and release it', async (t) => {
  const origin = await servedBucket(t, 100 * KIB);
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

test('the values read from an XML body count against the memory limit with its bytes', async (t) => {
  const origin = await servedBucket(t, 100 * KIB);
  const complete = async (parts: number, isAnnounced: boolean) => {
    const part = '<Part><PartNumber>1</PartNumber><ETag>e</ETag></Part>';
    const text = `<CompleteMultipartUpload>${part.repeat(parts)}</CompleteMultipartUpload>`;
    const body = isAnnounced ? text : new Blob([text]).stream();
    const request = { method: 'POST', body, duplex: 'half' } as RequestInit;
    return (await fetch(`${origin}/bucket/key?uploadId=none`, request)).status;
  };
  for (const isAnnounced of [true, false, true]) {
    t.is(await complete(1500, isAnnounced), 503);
    t.is(await complete(300, isAnnounced), 400, 'the parts are in no order');
  }
});

test('a document with unexpected elements is rejected before it has arrived completely', async (t) => {
  const origin = await servedBucket(t);
  const object = '<Object><Key>a</Key></Object>';
  const begun = [
    '<Delete><a/>',
    '<Delete><Object><Key><a/>',
    `<Delete>${object.repeat(1000)}<Object>`,
    '<Delete><Object><Key>a</Key><Key>',
    '<Other>',
    '<Delete>text<Object>',
    `<Delete>${object} text `,
  ];
  const answerTo = async (text: string): Promise<string> => {
    const socket = await dial(origin);
    const head = ['POST /bucket?delete HTTP/1.1', 'Host: h', 'Connection: close'];
    socket.write(`${head.join('\r\n')}\r\nContent-Length: 500000\r\n\r\n${text}<`);
    return Buffer.concat(await socket.toArray()).toString();
  };
  for (const answer of await Promise.all(begun.map(answerTo))) {
    t.regex(answer, /^HTTP\/1.1 400 .*<Code>MalformedXML</s);
  }
});
