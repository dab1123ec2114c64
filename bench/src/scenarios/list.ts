import { Connection } from '../load/connection.js';
import { newDirectory } from '../run/processes.js';
import { interleave, median } from '../run/rounds.js';
import { anyMarker, FEW, FOLDERS, fillBuckets, MANY, PAGE, PREFIXES, SOME } from './fill.js';
import type { Context, Scenario } from './scenario.js';

/** Pages of one measurement, whose figure is their median. */
const PAGES = 20;

interface Page {
  readonly name: string;
  readonly title: string;
  readonly path: () => string;
  /** How many keys and common prefixes it must show. */
  readonly shows: number;
}

/** Listings of buckets with few and with many keys. */
export const list: Scenario = {
  name: 'list',
  async run({ pool, settings }) {
    const server = await filledServer({ pool, settings });
    const connection = new Connection(server.port);
    try {
      const series = await interleave(
        pagesOf(settings).map((page) => ({ ...page, measure: () => timeOf(connection, page) })),
        settings.rounds,
      );
      return [{ name: 'list', title: 'List', unit: 'ms', series }];
    } finally {
      connection.close();
      await server.stop();
    }
  },
};

/** A server of the storage whose buckets have many keys. The caller stops it. */
export async function filledServer({ pool, settings }: Pick<Context, 'pool' | 'settings'>) {
  const directory = newDirectory();
  await fillBuckets(directory, settings);
  return pool.start('koa', directory);
}

function pagesOf({ someKeys, manyKeys, folders }: Context['settings']): Page[] {
  const page = (name: string, bucket: string, count: number): Page => ({
    name,
    title: `a page of 1,000 keys among ${count.toLocaleString('en')}`,
    path: () => `/storage/${bucket}${count > PAGE ? `?marker=${anyMarker(count)}` : ''}`,
    shows: PAGE,
  });
  const prefixes = (name: string, bucket: string, count: number): Page => ({
    name,
    title: `${PREFIXES} common prefixes over ${count.toLocaleString('en')} keys`,
    path: () => `/storage/${bucket}?delimiter=/`,
    shows: PREFIXES,
  });
  return [
    page('keys-1e3', FEW, PAGE),
    page('keys-1e5', SOME, someKeys),
    page('keys-1e6', MANY, manyKeys),
    prefixes('prefixes-1e3', FEW, PAGE),
    prefixes('prefixes-1e5', SOME, someKeys),
    prefixes('prefixes-1e6', MANY, manyKeys),
    {
      name: 'folders',
      title: `a page of ${folders.toLocaleString('en')} folders`,
      path: () => `/storage/${FOLDERS}?delimiter=/`,
      shows: folders,
    },
  ];
}

async function timeOf(connection: Connection, { path, shows }: Page): Promise<number> {
  const times: number[] = [];
  for (let page = 0; page < PAGES; page++) {
    const start = performance.now();
    const { text } = await connection.send({ method: 'GET', path: path() });
    times.push(performance.now() - start);
    const { contents, commonPrefixes = [] } = JSON.parse(text);
    const shown = contents.length + commonPrefixes.length;
    if (shown !== shows) throw new Error(`The page shows ${shown} instead of ${shows}.`);
  }
  return median(times);
}
