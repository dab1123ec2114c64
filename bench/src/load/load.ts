/** A kind of request, sent as often as a server can respond. */
export interface Load {
  readonly port: number;
  readonly method: string;
  /** The path. `%d` is replaced by the number of a key. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The length of the body. `undefined`: there is none. */
  readonly bytes: number | undefined;
  /** The number of keys, used in turn. 0: a new one for each request. */
  readonly keys: number;
  /** The number of the first key. */
  readonly first: number;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** The number of requests without a successful response. */
  readonly failed: number;
}

export type Generator = (load: Load) => Promise<LoadResult>;
