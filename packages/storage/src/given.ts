import type { BlobStore, MetadataStore } from '@bucketware/core';
import type { KeyvLike } from '@bucketware/keyv';

const METADATA_STORE = ['get', 'getMany', 'list', 'commit', 'close'];
const BLOB_STORE = [
  ...['identity', 'identify', 'write', 'read'],
  ...['share', 'remove', 'list', 'close'],
];
const KEYV = ['get', 'set', 'delete', 'on'];

/** The driver that the app opened. Throws a TypeError when it is not a driver. */
export function givenMetadata(given: object): MetadataStore {
  if (lacks(given, METADATA_STORE).length === 0) return given as MetadataStore;
  if (lacks(given, ['get', 'set', 'delete']).length === 0) {
    throw new TypeError(
      'openStorage(): metadata looks like an adapter for Keyv. ' +
        'Pass the Keyv: new Keyv({ store: adapter }).',
    );
  }
  throw unfit(given, 'metadata', 'MetadataStore or Keyv', METADATA_STORE);
}

export function givenBlobs(given: object): BlobStore {
  if (lacks(given, BLOB_STORE).length === 0) return given as BlobStore;
  throw unfit(given, 'blobs', 'BlobStore', BLOB_STORE);
}

export const isKeyv = (given: object): given is KeyvLike =>
  'store' in given && lacks(given, KEYV).length === 0;

const lacks = (given: object, methods: readonly string[]): string[] =>
  methods.filter((name) => typeof (given as Record<string, unknown>)[name] !== 'function');

function unfit(
  given: object,
  option: string,
  contract: string,
  methods: readonly string[],
): TypeError {
  const isPromise = lacks(given, ['then']).length === 0;
  const missing = lacks(given, methods).join(', ');
  const why = isPromise
    ? 'is a promise. Await it first'
    : `is not a ${contract}: it lacks ${missing}`;
  return new TypeError(`openStorage(): ${option} ${why}.`);
}
