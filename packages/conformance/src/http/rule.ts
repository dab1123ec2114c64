import type { StorageClient } from './client.js';

/** A server that is running and answers the interface under `url`. */
export interface HttpServer {
  /** Where the storage is mounted, such as `http://127.0.0.1:3000/storage`. */
  readonly url: string;
  /**
   * Host style: the url that stands in the place of `/<bucket>`, and the Host header that names
   * the bucket. Absent when the server has none.
   */
  readonly bucketUrl?: (bucket: string) => { readonly url: string; readonly host: string };
}

/** One sentence of the interface, with its proof. */
export interface HttpRule {
  readonly id: string;
  readonly name: string;
  prove(storage: StorageClient): Promise<void>;
}
