import { existsSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { UsageError } from '../failures.js';
import { isOneOf } from '../files/own-files.js';
import type { CommonOptions } from '../options.js';
import { type Config, readConfig } from './config.js';
import { openEndpoint } from './endpoint.js';
import type { Store } from './store.js';

/** Opens the storage of --store. */
export async function openStore(options: CommonOptions, creates: boolean): Promise<Store> {
  const given = options.store ?? process.env.BUCKETWARE_STORE;
  if (given === undefined || given === '') {
    throw new UsageError(
      'Choose a storage: give --store a directory, a config file or the URL of a mount, or set BUCKETWARE_STORE.',
    );
  }
  if (/^https?:\/\//i.test(given)) return openEndpoint({ endpoint: given }, options.header);
  const store = await openPlace(given, options, creates);
  if (statSync(given, { throwIfNoEntry: false })?.isFile() !== true) return store;
  // A config file may contain the keys of the storage.
  const isConfig = isOneOf([given]);
  return { ...store, isOwn: (path) => isConfig(path) || store.isOwn(path) };
}

async function openPlace(place: string, options: CommonOptions, creates: boolean): Promise<Store> {
  const config = await configOf(place);
  if (config.endpoint !== undefined) return openEndpoint(config, options.header);
  if (!creates) requireStorage(place, config.storage.directory);
  // Not needed for a server, and slower to load than everything else.
  const { openHere } = await import('./here.js');
  return openHere(config.storage);
}

/** The config of a directory or of a config file. */
export async function configOf(place: string): Promise<Config> {
  const found = await stat(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found?.isFile()) return readConfig(place);
  if (found === undefined && place.endsWith('.json')) {
    throw new UsageError(`There is no config file ${place}.`);
  }
  return { storage: { directory: place } };
}

/** A mistyped path must not become an empty storage. */
function requireStorage(place: string, directory: string | undefined): void {
  if (directory === undefined) return;
  if (['records', 'blobs'].some((name) => existsSync(join(directory, name)))) return;
  if (place !== directory && existsSync(directory)) return; // Its data is elsewhere.
  throw new UsageError(
    `There is no storage in ${directory}. To create one: bucketware mb <bucket> --store ${directory}`,
  );
}
