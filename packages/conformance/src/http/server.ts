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

/** Who calls: a user that the server knows, or nobody. */
export type Caller = 'alice' | 'bob' | 'anonymous';
