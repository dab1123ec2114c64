import { once } from 'node:events';
import type { Server } from 'node:http';

/** Requests that run may end. A connection is closed when it has none, however long it could be kept. */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  await closed;
  clearInterval(idle);
}
