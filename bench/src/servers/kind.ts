import type { Running } from '../run/processes.js';

export type Action = 'put' | 'get' | 'head' | 'delete';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a server needs to be started. */
export interface Place {
  /** Empty, on the disk that is measured. */
  readonly directory: string;
  /** The folder of packages that npm installed for a comparison. */
  readonly peers: string;
  /** Headers of a real answer of the storage: names in lower case, and values. */
  readonly headers: () => Promise<readonly (readonly [name: string, value: string])[]>;
}

/** A server that is measured. */
export interface Kind {
  readonly name: string;
  /** As it is called in the report. */
  readonly title: string;
  /** Where it comes from, when not from the workspace. */
  readonly needs?: 'nginx' | 'npm';
  /** Whether it answers only after the bytes are on the disk. */
  readonly syncs: boolean;
  start(place: Place): Promise<Running>;
  /** Once, after its start. */
  prepare?(port: number): Promise<unknown>;
  /** How an object is put or read. `size`: of what is put. */
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
