import { createHash } from 'node:crypto';
import { send } from '../connection.js';
import { content, digestOf } from '../content.js';
import { pathOf } from '../fixed.js';
import { memory, type Row, speed } from '../report.js';
import { rateOf } from '../rounds.js';
import { type Server, withServer } from '../servers.js';
import { sizes } from '../sizes.js';

const { largeBytes: length } = sizes;
const MAX_MEMORY = 200e6;
const path = pathOf('large');

/** The largest object there can be, up and down, with the memory that it takes. */
export async function* large(): AsyncGenerator<Row> {
  const md5 = digestOf('md5', length);
  const sha256 = digestOf('sha256', length);
  const bare = await withServer('bare', (server) => upAndDown(server, md5, sha256));
  for (const kind of ['koa', 'express'] as const) {
    const { up, down, peak } = await withServer(kind, (server) => upAndDown(server, md5, sha256));
    const name = `${length / 1024 / 1024} MiB, ${kind}`;
    yield* [
      row(`PUT of ${name}`, up, bare.up),
      row(`GET of ${name}`, down, bare.down),
      {
        benchmark: 'large',
        what: `peak memory with ${name}`,
        ours: memory(peak),
        against: `${memory(bare.peak)} node:http`,
        target: `< ${memory(MAX_MEMORY)}`,
        met: peak < MAX_MEMORY,
      },
    ];
  }
}

/** No ratio: these were measured one after another, minutes apart. */
const row = (what: string, ours: number, against: number): Row => ({
  benchmark: 'large',
  what,
  ours: speed(ours),
  against: `${speed(against)} node:http`,
  target: '',
});

/** The upload is proven by the MD5 that the server answers, the download by our own SHA-256. */
async function upAndDown(server: Server, md5: string, sha256: string) {
  const { port } = server;
  const up = await rateOf(length, async () => {
    const body = content(length);
    const { head } = await send(port, { method: 'PUT', path, length, body });
    if (!head.includes(md5)) throw new Error(`Other bytes arrived:\n${head}`);
  });
  const hash = createHash('sha256');
  const down = await rateOf(length, () =>
    send(port, { method: 'GET', path, onBytes: (bytes) => hash.update(bytes) }),
  );
  if (hash.digest('hex') !== sha256) throw new Error('Other bytes came back.');
  return { up, down, peak: server.peakMemory() };
}
