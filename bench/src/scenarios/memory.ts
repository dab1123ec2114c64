import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendMany } from '../load/connection.js';
import { content } from '../load/content.js';
import { interleave } from '../run/rounds.js';
import { pathOf } from '../servers/ours.js';
import type { Server } from '../servers/server.js';
import { KiB, MiB, type Settings } from '../settings.js';
import { get, put } from './objects.js';
import { contend, type Scenario } from './scenario.js';

/** How many bytes a slow writer sends before it slows down: too many to stay in a record. */
const AHEAD = 100 * KiB;
const SLOW_TIME = 5_000;

type Work = (server: Server, settings: Settings) => Promise<unknown>;

const WORKS: Readonly<Record<string, { title: (settings: Settings) => string; work: Work }>> = {
  slow: {
    title: ({ slowClients: count }) => `${count} slow readers and ${count} slow writers`,
    async work(server, { slowClients }) {
      await put(server, 'slow', 8 * MiB);
      const clients = await Promise.all(
        Array.from({ length: slowClients }, (_, index) => [
          reader(server.port),
          writer(server.port, index),
        ]).flat(),
      );
      const ticking = setInterval(() => {
        for (const { tick } of clients) tick();
      }, 1_000);
      await sleep(SLOW_TIME);
      clearInterval(ticking);
      const cut = clients.filter(({ socket }) => socket.destroyed).length;
      for (const { socket } of clients) socket.destroy();
      if (cut > 0) throw new Error(`${cut} connections were ended.`);
    },
  },
  uploads: {
    title: ({ uploads }) => `${uploads} uploads of 8 MiB at once`,
    work: ({ port, kind }, { uploads }) =>
      sendMany(port, { connections: uploads, requests: uploads }, (index) => ({
        ...kind.call('put', `upload-${index}`, 8 * MiB),
        length: 8 * MiB,
        body: content(8 * MiB, index),
      })),
  },
  mixed: {
    title: ({ largeBytes }) =>
      `32 connections with small objects, during an upload and a download of ${largeBytes / MiB} MiB`,
    async work(server, { largeBytes, deletes }) {
      await put(server, 'mixed', largeBytes);
      await put(server, 'small', KiB);
      server.resetPeak();
      const { kind, port } = server;
      await Promise.all([
        put(server, 'mixed-up', largeBytes),
        get(server, 'mixed'),
        sendMany(port, { connections: 32, requests: 2 * deletes }, (index) =>
          index % 2 === 0
            ? {
                ...kind.call('put', `small-${index}`, KiB),
                length: KiB,
                body: content(KiB, index),
              }
            : kind.call('get', 'small', KiB),
        ),
      ]);
    },
  },
};

/** The memory that the storage uses for many clients. Each scenario starts a new server. */
export const memory: readonly Scenario[] = Object.entries(WORKS).map(([name, { title, work }]) => ({
  name: `memory-${name}`,
  async run({ pool, settings }) {
    const contenders = await contend(pool.present(['koa', 'express']), async (kind) => ({
      async measure() {
        const server = await pool.start(kind.name);
        try {
          await work(server, settings);
          const peak = server.peakMemory();
          if (peak === undefined)
            throw new Error('This system does not report the memory of a process.');
          return peak;
        } finally {
          await server.stop();
        }
      },
    }));
    const series = await interleave(contenders, 1, { warmUp: false });
    return [{ name: `memory-${name}`, title: title(settings), unit: 'bytes', series }];
  },
}));

interface SlowClient {
  readonly socket: Socket;
  readonly tick: () => void;
}

/** Reads one chunk of an object at each tick. */
async function reader(port: number): Promise<SlowClient> {
  const socket = await opened(port);
  socket.pause();
  socket.write(`GET ${pathOf('slow')} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  const tick = () => {
    socket.once('data', () => void socket.pause());
    socket.resume();
  };
  return { socket, tick };
}

/** Sends one byte of an upload at each tick. */
async function writer(port: number, index: number): Promise<SlowClient> {
  const socket = await opened(port);
  const length = AHEAD + KiB;
  const path = pathOf(`slow-${index}`);
  socket.write(`PUT ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${length}\r\n\r\n`);
  socket.write(Buffer.alloc(AHEAD, 'w'));
  return { socket, tick: () => void socket.write('w') };
}

async function opened(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {}); // Counted as a connection that was ended.
  return socket;
}
