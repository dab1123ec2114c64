import { createHash } from 'node:crypto';
import { sendMany } from '../connection.js';
import { CONSTANT, pathOf } from '../fixed.js';
import { perSecond, type Row } from '../report.js';
import { compare, rateOf } from '../rounds.js';
import { type Server, withServer } from '../servers.js';
import { sizes } from '../sizes.js';

const ETAG = `"${createHash('md5').update(CONSTANT).digest('hex')}"`;

/** Small objects that are on the disk when they are acknowledged, against a synced file for each. */
export async function* putSmall(): AsyncGenerator<Row> {
  for (const kind of ['koa', 'express'] as const) {
    const { ours, against, ratio } = await withServer(kind, (storage) =>
      withServer('bare', (bare) => compare(puts(storage), puts(bare))),
    );
    yield {
      benchmark: 'put-small',
      what: `PUT of 1 KiB, ${kind}`,
      ours: perSecond(ours),
      against: `${perSecond(against)} node:http, write and fsync`,
      ratio,
      target: '> 1',
      met: ratio > 1,
    };
  }
}

/** Puts new keys in every round. */
function puts({ port }: Server) {
  const { connections, putsPerRound: requests, smallBytes: length } = sizes;
  let first = 0;
  return () => {
    first += requests;
    return rateOf(requests, () =>
      sendMany(
        port,
        { connections, requests },
        (index) => ({
          method: 'PUT',
          path: pathOf(`object-${first + index}`),
          length,
          body: [CONSTANT],
        }),
        ({ head }) => {
          if (!head.includes(ETAG)) throw new Error(`Not what was sent:\n${head}`);
        },
      ),
    );
  };
}
