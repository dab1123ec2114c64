import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/** Slow readers occupy their connections for a long time, and must not block others. */
const UNLIMITED = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };

/** The connections to a store, which are reused. */
export class Connections {
  readonly agents = {
    httpAgent: new HttpAgent(UNLIMITED),
    httpsAgent: new HttpsAgent(UNLIMITED),
  };

  /** Closes idle connections now, and others when they become idle. */
  close(): void {
    for (const agent of Object.values(this.agents)) {
      agent.maxFreeSockets = 0;
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of sockets ?? []) socket.destroy();
      }
    }
  }
}
