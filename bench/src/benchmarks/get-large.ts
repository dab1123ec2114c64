import { send } from '../connection.js';
import { content } from '../content.js';
import { pathOf } from '../fixed.js';
import { type Row, speed } from '../report.js';
import { compare, rateOf } from '../rounds.js';
import { type Server, withServer } from '../servers.js';
import { sizes } from '../sizes.js';

const { getBytes: length } = sizes;
const path = pathOf('large');

/** One large object, against a file that is piped into the response. */
export async function* getLarge(): AsyncGenerator<Row> {
  for (const kind of ['koa', 'express'] as const) {
    const { ours, against, ratio } = await withServer(kind, async (storage) => {
      await put(storage);
      return withServer('bare', async (bare) => {
        await put(bare);
        return compare(gets(storage), gets(bare));
      });
    });
    yield {
      benchmark: 'get-large',
      what: `GET of ${length / 1024 / 1024} MiB, ${kind}`,
      ours: speed(ours),
      against: `${speed(against)} createReadStream().pipe()`,
      ratio,
      target: '>= 0.9',
      met: ratio >= 0.9,
    };
  }
}

const put = ({ port }: Server) =>
  send(port, { method: 'PUT', path, length, body: content(length) });

const gets =
  ({ port }: Server) =>
  () =>
    rateOf(length, () => send(port, { method: 'GET', path, onBytes: () => {} }));
