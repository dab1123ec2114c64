import { open, opening } from '../http/raw.js';

/** A client that makes the server wait, and continues a little with each tick. */
export interface SlowClient {
  readonly socket: Awaited<ReturnType<typeof open>>['socket'];
  readonly closed: Promise<void>;
  received(): Buffer;
  tick(): void;
  /** Does the rest at once. */
  finish(): void;
}

/** Bytes that a writer sends before it slows down: too many for a record. */
const AHEAD = 100_000;
const SIZE = AHEAD + 1_000;

/** Requests an object and reads one chunk of it at each tick. */
export async function reader(origin: string, path: string): Promise<SlowClient> {
  const client = await open(origin);
  const { socket } = client;
  socket.pause();
  socket.write(opening('GET', path, 'Connection: close'));
  const hold = () => void socket.pause();
  const finish = () => {
    socket.off('data', hold);
    socket.resume();
  };
  const tick = () => {
    finish();
    socket.once('data', hold);
  };
  return { ...client, tick, finish };
}

/** Starts an upload and sends one byte at each tick. */
export async function writer(origin: string, path: string): Promise<SlowClient> {
  const client = await open(origin);
  const { socket } = client;
  socket.write(opening('PUT', path, `Content-Length: ${SIZE}`, 'Connection: close'));
  socket.write(Buffer.alloc(AHEAD, 'w'));
  let left = SIZE - AHEAD;
  const tick = () => {
    left--;
    socket.write('w');
  };
  const finish = () => void socket.write('w'.repeat(left));
  return { ...client, tick, finish };
}

/** Starts `count` clients at once. */
export const many = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
