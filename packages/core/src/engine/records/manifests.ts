import { RecordKind } from './kind.js';
import { isManifest } from './manifest.js';

/** The packed segments of an object with many segments, by the id of the manifest. */
export const manifestRecords = new RecordKind<string, Uint8Array>({
  name: 'a manifest',
  prefix: 'm/',
  key: (id) => `m/${id}`,
  parse: (key) => key.slice(2),
  fits: isManifest,
});
