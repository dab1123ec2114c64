import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { StorageConfig } from '@bucketware/storage';
import { UsageError } from '../failures.js';

/** How to reach a server. */
export interface EndpointConfig {
  readonly endpoint: string;
  readonly accessKey?: string | undefined;
  readonly secret?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly headerPrefix?: string | undefined;
}

export type Config =
  | EndpointConfig
  | { readonly endpoint?: undefined; readonly storage: StorageConfig };

const ENDPOINT = ['endpoint', 'accessKey', 'secret', 'headers', 'headerPrefix'];

/**
 * A config file: the settings of `openStorage()` in JSON, or an `endpoint`. Relative directories are
 * relative to the file.
 */
export async function readConfig(path: string): Promise<Config> {
  const config = parse(path, await readFile(path, 'utf8'));
  if (typeof config.endpoint === 'string') {
    const unknownName = Object.keys(config).find((name) => !ENDPOINT.includes(name));
    if (unknownName === undefined) return config as unknown as EndpointConfig;
    throw new UsageError(`${path}: a config file with an endpoint has no setting ${unknownName}.`);
  }
  const { directory } = config;
  if (typeof directory !== 'string' || isAbsolute(directory)) return { storage: config };
  return { storage: { ...config, directory: resolve(dirname(path), directory) } };
}

function parse(path: string, text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${(error as Error).message}`);
  }
  throw new UsageError(`${path} is not a JSON object.`);
}
