import type { Agent } from 'node:http';
import type { Caller, HttpServer } from '../http/server.js';
import type { Case } from './case.js';
import type { DialectClient } from './client.js';
import type { Traits } from './traits.js';

export interface ClientOptions {
  readonly caller: Caller;
  /** For many successive requests. By default, each has a separate connection. */
  readonly agent?: Agent;
}

/** A way to express the actions in HTTP. */
export interface Dialect {
  readonly name: string;
  readonly traits: Traits;
  connect(server: HttpServer, options: ClientOptions): DialectClient;
  /** Cases about its wire format, beyond the actions: spellings, statuses, structures of bodies. */
  readonly cases: readonly Case[];
}
