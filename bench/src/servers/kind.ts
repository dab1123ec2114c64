import type { Running } from '../run/processes.js';

export type Action = 'put' | 'get' | 'head' | 'delete';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a server needs to start. */
export interface Place {
  /** An empty directory, on the disk that is measured. */
  readonly directory: string;
  /** The folder with packages that npm installed for comparison. */
  readonly peers: string;
  /** The headers of a real response of the storage. Names are in lower case. */
  readonly headers: () => Promise<readonly (readonly [name: string, value: string])[]>;
}

/** A kind of server that is measured. */
export interface Kind {
  readonly name: string;
  /** The name in the report. */
  readonly title: string;
  /** Where the server comes from, if it is not in the workspace. */
  readonly needs?: 'nginx' | 'npm';
  /** Whether it responds only after the data is on the disk. */
  readonly syncs: boolean;
  start(place: Place): Promise<Running>;
  /** Called once, after the start. */
  prepare?(port: number): Promise<unknown>;
  /** The request that puts or gets an object. `size` is the size of the object to put. */
  call(action: Action, key: string, size: number): Call;
}

const METHODS = { put: 'PUT', get: 'GET', head: 'HEAD', delete: 'DELETE' } as const;

/** Servers for which an object is a path. */
export const plain =
  (folder: string, headers: Readonly<Record<string, string>> = {}) =>
  (action: Action, key: string): Call => ({
    method: METHODS[action],
    path: `${folder}/${key}`,
    headers,
  });
