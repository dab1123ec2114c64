import { Connection } from '../load/connection.js';
import { newDirectory } from '../run/processes.js';
import { type Contender, interleave, median } from '../run/rounds.js';
import { BUCKET } from '../servers/fixed.js';
import type { Server } from '../servers/server.js';
import { KiB } from '../settings.js';
import { anyMarker, FEW, FOLDERS, fillBuckets, MANY, PAGE, PREFIXES, SOME } from './fill.js';
import { fill } from './objects.js';
import { type Context, contend, type Scenario } from './scenario.js';

/** The number of pages in one measurement, whose figure is the median. */
const PAGES = 20;

interface Page {
  readonly name: string;
  readonly title: string;
  readonly path: () => string;
  /** The number of keys and common prefixes that the page must have. */
  readonly shows: number;
}

/** Listings of buckets with few and with many keys. */
export const list: Scenario = {
  name: 'list',
  async run({ pool, settings }) {
    const started: Server[] = [];
    const start = async (starting: Promise<Server>): Promise<Server> => {
      const server = await starting;
      started.push(server);
      return server;
    };
    try {
      const server = await start(filledServer({ pool, settings }));
      const contenders: Contender[] = pagesOf(settings).map((page) => ({
        ...page,
        measure: () => timeOf(server, page),
      }));
      const peers = await contend(pool.present(['s3rver']), async ({ name }) => {
        const peer = await start(pool.start(name));
        await fill(peer, (index) => `object-${index}`, PAGE, KiB);
        return { measure: () => timeOf(peer, PEER_PAGE) };
      });
      for (const peer of peers) contenders.push({ ...peer, title: PEER_PAGE.title });
      const series = await interleave(contenders, settings.rounds);
      return [{ name: 'list', title: 'List', unit: 'ms', series }];
    } finally {
      for (const server of started) await server.stop();
    }
  },
};

const PEER_PAGE: Page = {
  name: 's3rver',
  title: 's3rver: a page of 1,000 keys among 1,000',
  path: () => `/${BUCKET}?max-keys=${PAGE}`,
  shows: PAGE,
};

/** Starts a server of the storage whose buckets have many keys. The caller must stop it. */
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

async function timeOf({ port }: Server, { path, shows }: Page): Promise<number> {
  const connection = new Connection(port);
  const times: number[] = [];
  try {
    for (let page = 0; page < PAGES; page++) {
      const start = performance.now();
      const { text } = await connection.send({ method: 'GET', path: path() });
      times.push(performance.now() - start);
      // Each key or common prefix has one of these members in JSON or elements in XML.
      const shown = text.match(/"key":|"prefix":"[^"]+"|<Key>/g)?.length ?? 0;
      if (shown !== shows) throw new Error(`The page has ${shown} entries instead of ${shows}.`);
    }
  } finally {
    connection.close();
  }
  return median(times);
}
