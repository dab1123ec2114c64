import { type Answer, send, sendMany } from '../load/connection.js';
import { content } from '../load/content.js';
import type { Server } from '../servers/server.js';

const CONNECTIONS = 8;

export const put = ({ kind, port }: Server, key: string, size: number): Promise<Answer> =>
  send(port, { ...kind.call('put', key, size), length: size, body: content(size) });

/** Gets an object. Resolves to the number of bytes received. */
export async function get({ kind, port }: Server, key: string): Promise<number> {
  let came = 0;
  const onBytes = (bytes: Uint8Array) => {
    came += bytes.length;
  };
  await send(port, { ...kind.call('get', key, 0), onBytes });
  return came;
}

export const remove = ({ kind, port }: Server, key: string): Promise<Answer> =>
  send(port, kind.call('delete', key, 0));

/** Puts many objects. */
export const fill = (
  { kind, port }: Server,
  keyOf: (index: number) => string,
  requests: number,
  size: number,
): Promise<void> => {
  if (kind.name.startsWith('constant')) return Promise.resolve();
  return sendMany(port, { connections: CONNECTIONS, requests }, (index) => ({
    ...kind.call('put', keyOf(index), size),
    length: size,
    body: content(size, index),
  }));
};

/** Rejects unless an object has the size with which it was put. */
export async function verify(server: Server, key: string, size: number): Promise<void> {
  await put(server, key, size);
  const came = await get(server, key);
  if (came < size) throw new Error(`${came} of ${size} bytes were returned.`);
}
