import { send, sendMany } from '../connection.js';
import { content } from '../content.js';
import { CONSTANT, pathOf } from '../fixed.js';
import { memory, type Row, speed } from '../report.js';
import { rateOf } from '../rounds.js';
import { type Server, withServer } from '../servers.js';
import { sizes } from '../sizes.js';

const { connections, getBytes: length, putsPerRound: small, smallBytes } = sizes;
const MAX_MEMORY = 250e6;

/** Small requests beside one large upload and one large download, with the memory of all of it. */
export async function* mixed(): AsyncGenerator<Row> {
  for (const kind of ['koa', 'express'] as const) {
    const { rate, peak } = await withServer(kind, async (server) => {
      await put(server, 'large', length);
      await put(server, 'small', smallBytes);
      const large = () => Promise.all([put(server, 'other', length), get(server)]);
      const work = () => Promise.all([large(), smallRequests(server)]);
      return { rate: await rateOf(2 * length, work), peak: server.peakMemory() };
    });
    const what = `${connections} small connections and ${length / 1024 / 1024} MiB each way, ${kind}`;
    yield {
      benchmark: 'mixed',
      what: `peak memory with ${what}`,
      ours: `${memory(peak)} at ${speed(rate)}`,
      against: '',
      target: `< ${memory(MAX_MEMORY)}`,
      met: peak < MAX_MEMORY,
    };
  }
}

const put = ({ port }: Server, key: string, length: number) =>
  send(port, { method: 'PUT', path: pathOf(key), length, body: content(length) });

const get = ({ port }: Server) =>
  send(port, { method: 'GET', path: pathOf('large'), onBytes: () => {} });

/** Every second one is a PUT of a new object. */
const smallRequests = ({ port }: Server): Promise<void> =>
  sendMany(port, { connections, requests: 2 * small }, (index) =>
    index % 2 === 0
      ? { method: 'PUT', path: pathOf(`small-${index}`), length: smallBytes, body: [CONSTANT] }
      : { method: 'GET', path: pathOf('small'), onBytes: () => {} },
  );
