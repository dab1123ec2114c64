/** One kind of request, as often as a server can answer it. */
export interface Load {
  readonly port: number;
  readonly method: string;
  /** `%d` is the number of a key. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The length of the body; undefined: there is none. */
  readonly bytes: number | undefined;
  /** So many keys in turn; 0: a new one for each request. */
  readonly keys: number;
  /** The number of the first key. */
  readonly first: number;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Requests that were not answered with a success. */
  readonly failed: number;
}

export type Generator = (load: Load) => Promise<LoadResult>;
