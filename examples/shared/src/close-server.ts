import { once } from 'node:events';
import type { Server } from 'node:http';

/**
 * Lets running requests end. Idle connections are closed at once, even if they could be kept alive.
 */
export async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  await closed;
  clearInterval(idle);
}
