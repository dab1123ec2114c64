import { send, sendMany } from '../load/connection.js';
import { content } from '../load/content.js';
import { interleave, rateOf, timeOf } from '../run/rounds.js';
import { BUCKET } from '../servers/fixed.js';
import { pathOf } from '../servers/ours.js';
import type { Server } from '../servers/server.js';
import { MiB } from '../settings.js';
import { put } from './objects.js';
import { contend, PAUSE, type Scenario } from './scenario.js';

/** The storage shares the data of copied parts above 8 MiB. */
const SHARED_PART = 9 * MiB;
const PARALLEL_PART = 8 * MiB;
const CONNECTIONS = 8;

interface Upload {
  /** The path of the completion. */
  readonly path: string;
  /** The body of the completion. */
  readonly parts: string;
}

const complete = ({ port }: Server, { path, parts }: Upload) =>
  send(port, { method: 'POST', path, length: parts.length, body: [Buffer.from(parts)] });

/** The upload of a large object in parts over several connections. */
export const parallel: Scenario = {
  name: 'multipart',
  async run({ pool, settings }) {
    const size = settings.largeBytes;
    const parts = size / PARALLEL_PART;
    const contenders = await contend(pool.present(['koa', 'express']), async ({ name }) => {
      const server = await pool.get(name);
      server.resetPeak();
      return {
        measure: () =>
          rateOf(size, async () => complete(server, await inParts(server, 'in-parts', parts))),
        peakMemory: () => server.peakMemory(),
      };
    });
    const series = await interleave(contenders, settings.fewRounds, { warmUp: false });
    const title = `upload of ${size / MiB} MiB in parts over ${CONNECTIONS} connections`;
    return [{ name: 'multipart', title, unit: 'bytes/s', series }];
  },
};

async function inParts(server: Server, key: string, requests: number): Promise<Upload> {
  return uploaded(server, key, { requests, connections: CONNECTIONS }, (path, part) => ({
    method: 'PUT',
    path,
    length: PARALLEL_PART,
    body: content(PARALLEL_PART, part),
  }));
}

/**
 * The completion of an upload with the maximum number of parts: how long it takes, and for how long
 * it blocks the server's event loop.
 */
export const completion: Scenario = {
  name: 'complete',
  async run({ pool, settings }) {
    const server = await pool.start('koa');
    const pauses: number[] = [];
    try {
      await put(server, 'part', SHARED_PART);
      const measure = async (round: number) => {
        const upload = await manyParts(server, settings.parts);
        await server.command('watch');
        const time = await timeOf(() => complete(server, upload));
        const pause = await server.command('longestPause');
        if (round > 0) pauses.push(pause);
        return time;
      };
      const title = `completing an upload of ${settings.parts.toLocaleString('en')} parts`;
      const series = await interleave([{ name: 'parts', title, measure }], settings.rounds);
      const pause = [{ name: 'parts', title, samples: pauses }];
      return [
        { name: 'complete', title: 'Uploads', unit: 'ms', series },
        { name: 'complete-pause', title: PAUSE, unit: 'ms', series: pause },
      ];
    } finally {
      await server.stop();
    }
  },
};

/** Creates an upload whose parts are copies of one object, and share its data. */
function manyParts(server: Server, requests: number): Promise<Upload> {
  const headers = { 'x-svc-copy-source': `/${BUCKET}/part` };
  const request = (path: string) => ({ method: 'PUT', path, headers, length: 0 });
  return uploaded(server, 'whole', { requests, connections: 32 }, request);
}

async function uploaded(
  { port }: Server,
  key: string,
  amount: { readonly requests: number; readonly connections: number },
  requestOf: (path: string, part: number) => Parameters<typeof send>[1],
): Promise<Upload> {
  const path = pathOf(key);
  const begun = await send(port, { method: 'POST', path: `${path}?uploads`, length: 0 });
  const { uploadId } = JSON.parse(begun.text);
  const parts: { partNumber: number; eTag: string }[] = [];
  await sendMany(
    port,
    amount,
    (index) => requestOf(`${path}?partNumber=${index + 1}&uploadId=${uploadId}`, index + 1),
    ({ head, text }, index) => {
      const eTag = /\r\netag: "?(\w+)/i.exec(head)?.[1] ?? JSON.parse(text).eTag;
      parts.push({ partNumber: index + 1, eTag });
    },
  );
  parts.sort((a, b) => a.partNumber - b.partNumber);
  return { path: `${path}?uploadId=${uploadId}`, parts: JSON.stringify({ parts }) };
}
