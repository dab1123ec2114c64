import type { StorageClient } from './client.js';

/** A statement about the wire format of this dialect, with its proof. */
export interface HttpRule {
  readonly id: string;
  readonly name: string;
  prove(storage: StorageClient): Promise<void>;
}
