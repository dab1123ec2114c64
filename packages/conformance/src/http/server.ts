/** A running server that provides the interface under `url`. */
export interface HttpServer {
  /** Where the storage is mounted, such as `http://127.0.0.1:3000/storage`. */
  readonly url: string;
  /**
   * For host style: returns the URL that replaces `/<bucket>`, and the Host header with the name of
   * the bucket. Absent if the server has no host style.
   */
  readonly bucketUrl?: (bucket: string) => { readonly url: string; readonly host: string };
}

/** The caller of a request: a user that the server knows, or an anonymous one. */
export type Caller = 'alice' | 'bob' | 'anonymous';
