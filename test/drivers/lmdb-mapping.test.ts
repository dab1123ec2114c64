import { readFile } from 'node:fs/promises';
import { lmdbMetadata } from '@bucketware/lmdb';
import test from 'ava';
import { temporaryDirectory } from './fixtures.js';

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a database that grows stays mapped once, so that its pages count once', async (t) => {
  const { path, remove } = await temporaryDirectory();
  const metadata = await lmdbMetadata({ directory: path, durability: 'relaxed' });
  t.teardown(async () => {
    await metadata.close();
    await remove();
  });
  const value = Buffer.alloc(60_000, 'x');
  for (let round = 0; round < 30; round++) {
    const put = Array.from({ length: 10 }, (_, at) => ({ key: `o/${round}/${at}`, value }));
    t.truthy(await metadata.commit({ put }));
  }
  const maps = (await readFile('/proc/self/maps', 'utf8')).split('\n');
  t.is(maps.filter((line) => line.endsWith(`${path}/data.mdb`)).length, 1);
});
