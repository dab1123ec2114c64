import { query, type Reader, wholeNumber } from '../http/readers.js';

/** The action refuses an absent parameter. */
const required = <Given>(reader: Reader<Given | undefined>) => reader as Reader<Given>;

export const uploadId = required(query('uploadId'));
export const partNumber = required(query('partNumber', wholeNumber));
