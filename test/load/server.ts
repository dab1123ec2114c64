import { readdirSync, readlinkSync } from 'node:fs';
import { openStorage } from '@bucketware/storage';
import { carriers } from '../http/carriers.js';
import { listen } from '../http/servers.js';

/** What a server uses. Bytes are those of its process. */
export interface Figures {
  readonly connections: number;
  /** File descriptors of the process: sockets, files of blobs, and all others. */
  readonly sockets: number;
  readonly files: number;
  readonly others: number;
  /** The heap after garbage collection. */
  readonly heap: number;
  readonly buffers: number;
  readonly resident: number;
}

// A server in a separate process. `/strict` disconnects stalled clients soon.
const { CARRIER, DIRECTORY = '', STALL } = process.env;
const carry = carriers[CARRIER as keyof typeof carriers];
const storage = await openStorage({ directory: DIRECTORY });
const patient = carry(storage, { mount: '/patient' });
const strict = carry(storage, { mount: '/strict', stallTimeout: Number(STALL) });
const { server, origin, close } = await listen((req, res) =>
  (req.url?.startsWith('/strict') ? strict : patient)(req, res),
);

const collect = globalThis.gc as () => void;

async function figures(): Promise<Figures> {
  const connections = await new Promise<number>((resolve) => {
    server.getConnections((_, count) => resolve(count));
  });
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise(setImmediate);
  }
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ''; // The descriptor of the directory that lists the others.
    }
  });
  const sockets = links.filter((path) => path.startsWith('socket:')).length;
  const files = links.filter((path) => path.startsWith(`${DIRECTORY}/blobs/`)).length;
  const { heapUsed: heap, arrayBuffers: buffers, rss: resident } = process.memoryUsage();
  const others = links.length - sockets - files;
  return { connections, sockets, files, others, heap, buffers, resident };
}

process.on('message', async (question) => {
  if (question === 'figures') process.send?.(await figures());
  else if (question === 'descriptors') process.send?.(readdirSync('/proc/self/fd').length);
  else if (question === 'check') process.send?.(await storage.check());
});
process.once('disconnect', async () => {
  await close();
  await storage.close();
});
process.send?.(origin);
