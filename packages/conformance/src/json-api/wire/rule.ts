import type { StorageClient } from './client.js';

/** One sentence about the wire of this dialect, with its proof. */
export interface HttpRule {
  readonly id: string;
  readonly name: string;
  prove(storage: StorageClient): Promise<void>;
}
