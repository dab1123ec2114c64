import { RecordKind } from './kind.js';
import { isBytes } from './shape.js';

/** The data of a small object, by its id. */
export const inlineRecords = new RecordKind<string, Uint8Array>({
  name: 'the data of an object',
  prefix: 'i/',
  key: (id) => `i/${id}`,
  parse: (key) => key.slice(2),
  fits: isBytes,
});
