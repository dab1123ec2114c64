import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/** Without a limit: slow readers keep their connections, which must not stop others. */
const UNLIMITED = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };

/** The connections to a store, which are used again. */
export class Connections {
  readonly agents = {
    httpAgent: new HttpAgent(UNLIMITED),
    httpsAgent: new HttpsAgent(UNLIMITED),
  };

  /** Ends those that are idle now, and the others when they are done. */
  close(): void {
    for (const agent of Object.values(this.agents)) {
      agent.maxFreeSockets = 0;
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of sockets ?? []) socket.destroy();
      }
    }
  }
}
