import test from 'ava';
import { call } from '../http/raw.js';
import { alice, onKoa } from '../http/servers.js';
import { startS3 } from './servers.js';

test('a response with the number of tags is private to its caller, and a public one has none', async (t) => {
  const { storage: host, origin, close } = await startS3(onKoa);
  t.teardown(close);
  const storage = host.as(alice);
  const bucket = 'shown';
  await storage.putBucket({ bucket });
  const own = { bucket, body: 'x', tags: { a: '1', b: '2' }, acl: 'public-read' } as const;
  await storage.putObject({ ...own, key: 'plain' });
  await storage.putObject({ ...own, key: 'private', cacheControl: 'private, max-age=9' });
  await storage.putObject({ ...own, key: 'shared', cacheControl: 'public, max-age=9' });
  const shown = async (method: string, key: string, as: '' | 'alice' = '') => {
    const { headers } = await call(origin, method, `/s3/${bucket}/${key}`, { as });
    return [headers['x-amz-tagging-count'], headers['cache-control'], headers.vary];
  };
  const callers = 'Sec-Fetch-Dest, Authorization, Cookie';
  for (const method of ['GET', 'HEAD']) {
    t.deepEqual(await shown(method, 'plain'), [
      undefined,
      'max-age=0, no-transform',
      'Sec-Fetch-Dest',
    ]);
    t.deepEqual(await shown(method, 'plain', 'alice'), [
      '2',
      'private, max-age=0, no-transform',
      callers,
    ]);
    t.deepEqual(await shown(method, 'private', 'alice'), ['2', 'private, max-age=9', callers]);
    const forAll = [undefined, 'public, max-age=9', 'Sec-Fetch-Dest'];
    t.deepEqual(await shown(method, 'shared'), forAll);
    t.deepEqual(await shown(method, 'shared', 'alice'), forAll);
  }
});
