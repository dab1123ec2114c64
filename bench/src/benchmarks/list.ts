import { Connection } from '../connection.js';
import { FEW, fill, keyOf, MANY, PREFIXES } from '../fill.js';
import { milliseconds, type Row } from '../report.js';
import { compare, median } from '../rounds.js';
import { Server, withDirectory } from '../servers.js';
import { sizes } from '../sizes.js';

const { fewObjects, manyObjects, pagesPerRound } = sizes;

/** A page costs what it shows, whatever else the bucket holds. */
export async function* list(): AsyncGenerator<Row> {
  const rows = await withDirectory(async (directory) => {
    await fill(directory);
    const server = await Server.start('koa', directory);
    const connection = new Connection(server.port);
    try {
      return await measure(connection);
    } finally {
      connection.close();
      await server.stop();
    }
  });
  yield* rows;
}

async function measure(connection: Connection): Promise<Row[]> {
  const few = () => time(connection, () => pathOfPage(FEW), fewObjects);
  const many = () => time(connection, randomPage, fewObjects);
  const { ours, against, ratio } = await compare(few, many);
  const byPrefix = await time(connection, () => `${pathOfPage(MANY)}?delimiter=/`, PREFIXES);
  return [
    {
      benchmark: 'list',
      what: `page of 1,000 among ${manyObjects} keys`,
      ours: milliseconds(against),
      against: `${milliseconds(ours)} among ${fewObjects} keys`,
      ratio: 1 / ratio,
      target: '<= 2',
      met: 1 / ratio <= 2,
    },
    {
      benchmark: 'list',
      what: `${PREFIXES} common prefixes over ${manyObjects} keys`,
      ours: milliseconds(byPrefix),
      against: '',
      target: '',
    },
  ];
}

const pathOfPage = (bucket: string): string => `/storage/${bucket}`;

/** A full page from anywhere in the bucket. */
function randomPage(): string {
  const prefix = Math.floor(Math.random() * PREFIXES);
  const below = Math.floor(Math.random() * (manyObjects / PREFIXES - fewObjects));
  return `${pathOfPage(MANY)}?marker=${keyOf(prefix, below)}`;
}

/** The median time of a listing that must show so many items. */
async function time(connection: Connection, path: () => string, items: number): Promise<number> {
  const times: number[] = [];
  for (let page = 0; page < pagesPerRound; page++) {
    const start = performance.now();
    const { text } = await connection.send({ method: 'GET', path: path() });
    times.push(performance.now() - start);
    const { contents, commonPrefixes } = JSON.parse(text);
    const shown = contents.length + (commonPrefixes?.length ?? 0);
    if (shown !== items) throw new Error(`The page has ${shown} items instead of ${items}.`);
  }
  return median(times);
}
