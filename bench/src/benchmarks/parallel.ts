import { sendMany } from '../connection.js';
import { content, digestOf } from '../content.js';
import { pathOf } from '../fixed.js';
import { memory, type Row, speed } from '../report.js';
import { rateOf } from '../rounds.js';
import { withServer } from '../servers.js';
import { sizes } from '../sizes.js';

const { parallelUploads: uploads, parallelBytes: length } = sizes;
const MAX_MEMORY = 400e6;

/** Many uploads at once, with the memory that they take together. */
export async function* parallel(): AsyncGenerator<Row> {
  const md5s = Array.from({ length: uploads }, (_, seed) => digestOf('md5', length, seed));
  for (const kind of ['koa', 'express'] as const) {
    const { rate, peak } = await withServer(kind, async (server) => ({
      rate: await rateOf(uploads * length, () => putAll(server.port, md5s)),
      peak: server.peakMemory(),
    }));
    const what = `${uploads} uploads of ${length / 1024 / 1024} MiB at once, ${kind}`;
    yield {
      benchmark: 'parallel',
      what: `peak memory with ${what}`,
      ours: `${memory(peak)} at ${speed(rate)}`,
      against: '',
      target: `< ${memory(MAX_MEMORY)}`,
      met: peak < MAX_MEMORY,
    };
  }
}

const putAll = (port: number, md5s: readonly string[]): Promise<void> =>
  sendMany(
    port,
    { connections: uploads, requests: uploads },
    (seed) => ({
      method: 'PUT',
      path: pathOf(`object-${seed}`),
      length,
      body: content(length, seed),
    }),
    ({ head }, seed) => {
      if (!head.includes(md5s[seed] as string)) throw new Error(`Other bytes arrived:\n${head}`);
    },
  );
