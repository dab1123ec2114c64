import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Sends its port to the parent process, and ends with it. */
export function listen(listener: RequestListener): void {
  const server = createServer(listener);
  server.requestTimeout = 0;
  server.listen(0, '127.0.0.1', 1024, () => {
    process.send?.((server.address() as AddressInfo).port);
  });
  process.once('disconnect', () => process.exit());
}
