import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../load/connection.js';
import { type Contender, interleave } from '../run/rounds.js';
import { BUCKET } from '../servers/fixed.js';
import type { Server } from '../servers/server.js';
import { KiB, type Settings } from '../settings.js';
import { anyMarker, FOLDERS, MANY } from './fill.js';
import { filledServer } from './list.js';
import { fill } from './objects.js';
import { PAUSE, type Scenario } from './scenario.js';

const PAGES = 50;
const DELETED = 1_000;

interface Work {
  readonly name: string;
  readonly title: string;
  /** Prepares the work, and resolves to the function that is measured. */
  readonly prepare: (server: Server, settings: Settings) => Promise<() => Promise<unknown>>;
  /**
   * Work that takes many seconds, with thousands of turns of the event loop. It is measured once.
   */
  readonly long?: boolean;
}

const WORKS: readonly Work[] = [
  {
    name: 'nothing',
    title: 'no work, only the pauses of the machine itself',
    prepare: async () => () => sleep(1_000),
  },
  {
    name: 'batch-delete',
    title: 'deleting 1,000 objects in one request',
    async prepare(server) {
      const keyOf = (index: number) => `deleted-${index}`;
      await fill(server, keyOf, DELETED, KiB);
      const objects = Array.from({ length: DELETED }, (_, index) => ({ key: keyOf(index) }));
      const body = Buffer.from(JSON.stringify({ objects }));
      const path = `/storage/${BUCKET}?delete`;
      return () => send(server.port, { method: 'POST', path, length: body.length, body: [body] });
    },
  },
  {
    name: 'list',
    title: 'listing 1,000 keys among a million',
    prepare: async ({ port }, { manyKeys }) =>
      pages(port, () => `/storage/${MANY}?marker=${anyMarker(manyKeys)}`),
  },
  {
    name: 'folders',
    title: 'listing 1,000 folders',
    prepare: async ({ port }) => pages(port, () => `/storage/${FOLDERS}?delimiter=/`),
  },
  {
    name: 'lifecycle',
    title: 'applying lifecycle rules to a million objects',
    long: true,
    async prepare(server) {
      // Every object is examined, and none is old enough.
      const time = { dateGreaterThan: '$(lastModified)+P365D' };
      const action = { name: 'DeleteObject' };
      const rule = [{ status: 'enabled', resource: [`${MANY}/*`], condition: { time }, action }];
      const body = Buffer.from(JSON.stringify({ rule }));
      const path = `/storage/${MANY}?lifecycle`;
      await send(server.port, { method: 'PUT', path, length: body.length, body: [body] });
      return () => server.command('lifecycle');
    },
  },
  {
    name: 'check',
    title: 'checking a million objects',
    long: true,
    prepare: async (server) => () => server.command('check'),
  },
  {
    name: 'scrub',
    title: 'scrubbing a million objects',
    long: true,
    prepare: async (server) => () => server.command('scrub'),
  },
];

/** The longest time for which work blocked the storage's event loop. */
export const pauses: Scenario = {
  name: 'pauses',
  async run({ pool, settings }) {
    const server = await filledServer({ pool, settings });
    try {
      const watch = ({ name, title, prepare }: Work): Contender => ({
        name,
        title,
        async measure() {
          const work = await prepare(server, settings);
          await server.command('watch');
          await work();
          return server.command('longestPause');
        },
      });
      const short = WORKS.filter(({ long }) => !long).map(watch);
      const long = WORKS.filter(({ long }) => long).map(watch);
      const series = [
        ...(await interleave(short, settings.fewRounds)),
        ...(await interleave(long, 1, { warmUp: false })),
      ];
      return [{ name: 'pauses', title: PAUSE, unit: 'ms', series }];
    } finally {
      await server.stop();
    }
  },
};

/** Makes one listing after another. */
const pages = (port: number, path: () => string) => async () => {
  for (let page = 0; page < PAGES; page++) await send(port, { method: 'GET', path: path() });
};
