import { query, required, wholeNumber } from '../http/readers.js';

export const uploadId = required(query('uploadId'));
export const partNumber = required(query('partNumber', wholeNumber));
