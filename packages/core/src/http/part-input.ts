import { MAX_PARTS } from '../limits.js';
import { type Codec, integer, query, Unfit } from './fields.js';

const id = (value: unknown): string => {
  if (typeof value !== 'string' || value === '') throw new Unfit('the id of an upload');
  return value;
};
const idCodec: Codec<string> = { fromText: id, fromValue: id };

/** What every operation on one upload asks for. */
export const uploadId = query('uploadId', idCodec).required();

/** 1 to 10000. */
export const partNumber = query('partNumber', integer(1, MAX_PARTS)).required();
