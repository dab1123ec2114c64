import type { Agent } from 'node:http';
import type { Caller, HttpServer } from '../http/server.js';
import type { Case } from './case.js';
import type { DialectClient } from './client.js';
import type { Traits } from './traits.js';

export interface ClientOptions {
  readonly caller: Caller;
  /** For many requests in a row. By default each has a connection of its own. */
  readonly agent?: Agent;
}

/** One way to speak the actions over HTTP. */
export interface Dialect {
  readonly name: string;
  readonly traits: Traits;
  connect(server: HttpServer, options: ClientOptions): DialectClient;
  /** What its wire promises beyond the actions: spellings, statuses, shapes of bodies. */
  readonly cases: readonly Case[];
}
