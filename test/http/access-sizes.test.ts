import type { AccessQuestion } from '@bucketware/core';
import test from 'ava';
import { alice, listen, memoryStorage, onNode } from './servers.js';

const bucket = 'sizes';
const source = { 'x-svc-copy-source': `/${bucket}/source` };

test('the host gets the size of an upload, or of a copy', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  const user = storage.as(alice);
  const questions: AccessQuestion[] = [];
  let meanwhile: (() => Promise<unknown>) | undefined;
  const authorize = async (question: AccessQuestion) => {
    questions.push(question);
    const act = meanwhile;
    if (question.source) meanwhile = undefined;
    if (question.source) await act?.();
    return question.allowed && (question.size ?? 0) < 5000;
  };
  const { origin, close } = await listen(onNode(storage, { authorize }));
  t.teardown(close);
  await user.putBucket({ bucket });
  await user.putObject({ bucket, key: 'source', body: 'x'.repeat(3000) });
  const { uploadId } = await user.initiateMultipartUpload({ bucket, key: 'parts' });
  const sizes = async (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string | ReadableStream,
  ) => {
    questions.length = 0;
    const options = { method, headers: { authorization: 'Bearer alice', ...headers }, body };
    const answer = await fetch(`${origin}/${bucket}/${path}`, {
      ...options,
      duplex: 'half',
    } as never);
    await answer.arrayBuffer();
    return [answer.status, ...questions.map(({ size }) => size)];
  };
  const part = `parts?uploadId=${uploadId}&partNumber=1`;
  t.deepEqual(await sizes('PUT', 'a', {}, 'hello'), [200, 5]);
  t.deepEqual(await sizes('PUT', part, {}, 'part'), [200, 4]);
  t.deepEqual(await sizes('POST', 'log?append', {}, 'line'), [200, 4]);
  t.deepEqual(await sizes('PUT', 'a', {}, 'x'.repeat(5000)), [403, 5000]);
  t.deepEqual(await sizes('PUT', 'a', {}, new Blob(['chunks']).stream()), [200, undefined]);
  t.deepEqual(await sizes('GET', 'a'), [200, undefined]);
  t.deepEqual(await sizes('PUT', 'copy', source), [200, undefined, 3000]);
  const range = (text: string) => ({ ...source, 'x-svc-copy-source-range': text });
  t.deepEqual(await sizes('PUT', part, range('bytes=10-19')), [200, undefined, 10]);
  t.deepEqual(await sizes('PUT', part, range('bytes=9999-')), [416, undefined, undefined]);
  // The check is for the object that is copied in the end.
  const grow = () => user.putObject({ bucket, key: 'source', body: 'x'.repeat(6000) });
  meanwhile = grow;
  t.deepEqual(await sizes('PUT', 'copy', source), [403, undefined, 3000, 6000]);
});
