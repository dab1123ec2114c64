import test from 'ava';
import { ILLEGAL, LEGAL } from '../hostile/corpus.js';
import { codeOf } from '../hostile/scan.js';
import { BASE_HOST, ON_DISK, type Stage, stage } from '../hostile/stage.js';

const encode = (text: string): string => encodeURIComponent(text);
const path = (key: string): string => `/bucket/${encode(key)}`;
const contentOf = (key: string): string => `I am ${JSON.stringify(key)}`;
const empty = { 'content-length': 0 };
const bytesOf = (text: string): number => Buffer.byteLength(text);

const inOrder = (keys: readonly string[]): string[] =>
  keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

const keysOf = async ({ storage }: Stage, about: object = {}): Promise<string[]> =>
  (await storage.listObjects({ bucket: 'bucket', ...about })).contents.map(({ key }) => key);

for (const [name, carrier, onDisk] of ON_DISK) {
  test(`${name}: each valid key is a separate object, whichever input contains it`, async (t) => {
    const on = await stage(t, carrier, onDisk);
    const { send } = on;
    const read = async (key: string, from = path(key)) => (await send('GET', from)).body.toString();
    const done = async (method: string, url: string, sent = {}, status = 200) => {
      const answer = await send(method, url, sent);
      t.is(answer.status, status, `${method} ${url}: ${answer.body}`);
      return answer.body.toString();
    };
    t.is(new Set(LEGAL).size, LEGAL.length);

    // In the path, with the bucket in the host.
    const host = `bucket.${BASE_HOST}`;
    for (const [at, key] of LEGAL.entries()) {
      if (at % 2 === 0) await done('PUT', path(key), { body: contentOf(key) });
      else await done('PUT', `/${encode(key)}`, { headers: { host }, body: contentOf(key) });
    }
    for (const key of LEGAL) {
      t.is(await read(key), contentOf(key));
      const answer = await send('GET', `/${encode(key)}`, { headers: { host } });
      t.is(answer.body.toString(), contentOf(key));
    }
    t.deepEqual(await keysOf(on), inOrder(LEGAL));

    // As the source of a copy, a part copy and a rename, in both directions.
    const upload = JSON.parse(await done('POST', '/other/parts?uploads'));
    const part = `/other/parts?partNumber=1&uploadId=${upload.uploadId}`;
    for (const key of LEGAL) {
      const copy = { ...empty, 'x-svc-copy-source': `/bucket/${encode(key)}` };
      await done('PUT', '/other/copy', { headers: copy });
      t.is(await read(key, '/other/copy'), contentOf(key));
      await done('PUT', part, { headers: copy });
      const { parts } = JSON.parse(await done('GET', `/other/parts?uploadId=${upload.uploadId}`));
      t.is(parts[0].size, bytesOf(contentOf(key)));
      const [away, back] = [key, 'elsewhere'].map((from) => ({ 'x-svc-rename-key': encode(from) }));
      await done('POST', path('elsewhere'), { headers: away });
      t.is((await send('HEAD', path(key))).status, 404);
      await done('POST', path(key), { headers: back });
    }

    // As the key of a multipart upload, and as the prefix and markers of both listings.
    for (const key of LEGAL) {
      const { uploadId, key: returned } = JSON.parse(
        await done('POST', `/other/${encode(key)}?uploads`),
      );
      t.is(returned, key);
      const on = `/other/${encode(key)}?uploadId=${uploadId}`;
      await done('PUT', `${on}&partNumber=1`, { body: contentOf(key) });
      const query = `?uploads&prefix=${encode(key)}&keyMarker=`;
      const { uploads } = JSON.parse(await done('GET', `/other${query}`));
      t.true(uploads.some((item: { key: string }) => item.key === key));
      t.true(uploads.every((item: { key: string }) => item.key.startsWith(key)));
      const behind = JSON.parse(await done('GET', `/other?uploads&keyMarker=${encode(key)}`));
      t.false(behind.uploads.some((item: { key: string }) => item.key === key));
      const { parts } = JSON.parse(await done('GET', on));
      const body = JSON.stringify({ parts });
      t.is(JSON.parse(await done('POST', on, { body })).key, key);
      t.is(await read(key, `/other/${encode(key)}`), contentOf(key));

      const listed = JSON.parse(await done('GET', `/bucket?prefix=${encode(key)}`));
      const found = listed.contents.map((item: { key: string }) => item.key);
      t.deepEqual(found, inOrder(LEGAL.filter((other) => other.startsWith(key))));
      const next = JSON.parse(await done('GET', `/bucket?marker=${encode(key)}&maxKeys=1`));
      t.is(next.contents[0]?.key, inOrder(LEGAL)[inOrder(LEGAL).indexOf(key) + 1]);
      const delimiter = Array.from(key)[0] as string;
      const cut = JSON.parse(await done('GET', `/bucket?delimiter=${encode(delimiter)}`));
      t.true(cut.commonPrefixes.some(({ prefix }: { prefix: string }) => prefix === delimiter));
    }

    // As a member of a batch that deletes exactly that object.
    const left = new Set(LEGAL);
    for (const key of LEGAL) {
      await done('POST', '/bucket?delete', { body: JSON.stringify({ objects: [{ key }] }) });
      left.delete(key);
      if (left.size % 8 === 0) t.deepEqual(await keysOf(on), inOrder([...left]));
    }
    t.deepEqual(await keysOf(on), []);
    await on.seal();
  });

  test(`${name}: an invalid key is rejected in every input, and nothing is stored`, async (t) => {
    const on = await stage(t, carrier, onDisk);
    const { send } = on;
    const { uploadId } = await on.storage.initiateMultipartUpload({ bucket: 'other', key: 'up' });
    for (const key of ILLEGAL) {
      const named = encode(key);
      const source = { ...empty, 'x-svc-copy-source': `/bucket/${named}` };
      const rows = [
        ...['PUT', 'GET', 'DELETE'].map((method) => [method, `/bucket/${named}`, {}] as const),
        ...['?uploads', '?append', '?uploadId=x'].map(
          (on) => ['POST', `/bucket/${named}${on}`, {}] as const,
        ),
        ...['?acl', '?partNumber=1&uploadId=x'].map(
          (on) => ['PUT', `/bucket/${named}${on}`, {}] as const,
        ),
        ['PUT', '/bucket/copy', source] as const,
        ['PUT', `/other/up?partNumber=1&uploadId=${uploadId}`, source] as const,
        ['POST', '/bucket/renamed', { 'x-svc-rename-key': named }] as const,
        ['PUT', `/${named}`, { host: `bucket.${BASE_HOST}` }] as const,
      ];
      for (const [method, url, headers] of rows) {
        const answer = await send(method, url, { headers, body: '' });
        t.is(codeOf(answer), 'InvalidObjectName', `${method} ${url.slice(0, 40)}`);
      }
      t.is((await send('HEAD', `/bucket/${named}`)).status, 400);
      const objects = [{ key }, { key: 'none' }];
      const batch = await send('POST', '/bucket?delete', { body: JSON.stringify({ objects }) });
      const { errors } = JSON.parse(batch.body.toString());
      t.deepEqual(
        errors.map(({ code }: { code: string }) => code),
        ['InvalidObjectName', 'NoSuchKey'],
      );
    }
    const surrogates = ['{"objects":[{"key":"\\ud800"}]}', '{"objects":[{"key":"a\\udfff"}]}'];
    for (const body of surrogates) {
      const { errors } = JSON.parse(
        (await send('POST', '/bucket?delete', { body })).body.toString(),
      );
      t.is(errors[0].code, 'InvalidObjectName');
    }
    t.deepEqual(await keysOf(on), []);
    await on.seal();
  });
}
