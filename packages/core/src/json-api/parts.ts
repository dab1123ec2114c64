import { query, type Reader, wholeNumber } from '../http/readers.js';

/** A parameter that is absent is refused by the action. */
const required = <Given>(reader: Reader<Given | undefined>) => reader as Reader<Given>;

export const uploadId = required(query('uploadId'));
export const partNumber = required(query('partNumber', wholeNumber));
