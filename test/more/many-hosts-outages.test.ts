import test from 'ava';
import { type Missing, type OwnServer, ownPostgres } from '../keyv/servers.js';
import type { Bytes } from '../outages/cluster.js';
import { mixedLoad, NOTHING_WRONG } from '../outages/mixed-load.js';
import { s3Store } from '../s3-blobs/store.js';

const database: OwnServer | Missing = await ownPostgres();
test.after.always('stop the server', async () => {
  if (typeof database !== 'string') await database.stop();
});

/** A store in this process. While it is down, every connection ends without a response. */
async function storeInMemory(): Promise<Bytes & { close(): Promise<void> }> {
  const store = await s3Store();
  return {
    port: Number(new URL(store.endpoint).port),
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    async kill() {
      store.fault = (_, index) => (index % 2 === 0 ? 'cut' : 'lost');
    },
    async restart() {
      store.fault = () => undefined;
    },
    close: () => store.close(),
  };
}

test('the results of clients of three hosts during outages are consistent with one order for each object', async (t) => {
  t.timeout(120_000);
  if (typeof database === 'string') {
    t.log(`SKIPPED: ${database}.`);
    return t.pass();
  }
  const bytes = await storeInMemory();
  t.teardown(() => bytes.close());
  const { calls, unanswered, ...found } = await mixedLoad({
    ...{ database, bytes, clients: 6, keys: 24, pause: 300 },
    faults: [
      ...(['a process is killed', 'the database is killed', 'the gateway is killed'] as const),
      ...(['connections to the database are cut', 'the gateway is silent'] as const),
      ...(['a process is killed', 'connections to the gateway are cut'] as const),
      'the database is silent',
    ],
  });
  t.deepEqual(found, NOTHING_WRONG);
  t.true(calls > 100);
  t.log(`${calls} calls, ${unanswered} without an answer`);
});
