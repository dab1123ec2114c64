import { sendMany } from '../connection.js';
import { CONSTANT, pathOf } from '../fixed.js';
import { perSecond, type Row } from '../report.js';
import { compare, rateOf } from '../rounds.js';
import { type Server, withServer } from '../servers.js';
import { sizes } from '../sizes.js';

const KEYS = 1_000;

/** Small objects, against the same framework when it does nothing but answer. */
export async function* getSmall(): AsyncGenerator<Row> {
  for (const kind of ['koa', 'express'] as const) {
    const { ours, against, ratio } = await withServer(kind, async (storage) => {
      await fill(storage);
      return withServer(`constant-${kind}`, (constant) => compare(gets(storage), gets(constant)));
    });
    yield {
      benchmark: 'get-small',
      what: `GET of 1 KiB, ${kind}`,
      ours: perSecond(ours),
      against: `${perSecond(against)} ${kind}, constant body`,
      ratio,
      target: '>= 0.5',
      met: ratio >= 0.5,
    };
  }
}

const path = (index: number): string => pathOf(`object-${index % KEYS}`);

const fill = ({ port }: Server): Promise<void> =>
  sendMany(port, { connections: sizes.connections, requests: KEYS }, (index) => ({
    method: 'PUT',
    path: path(index),
    length: sizes.smallBytes,
    body: [CONSTANT],
  }));

function gets({ port }: Server) {
  const { connections, getsPerRound: requests } = sizes;
  return () =>
    rateOf(requests, () =>
      sendMany(
        port,
        { connections, requests },
        (index) => ({ method: 'GET', path: path(index) }),
        ({ text }) => {
          if (text.length !== sizes.smallBytes) throw new Error(`${text.length} bytes came.`);
        },
      ),
    );
}
