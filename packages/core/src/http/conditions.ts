import { parseHttpDate } from './dates.js';
import { date, header, strictDate } from './readers.js';

/** Conditions on an object that is replaced or removed. */
export const removeConditions = {
  ifMatch: header('if-match'),
  ifNoneMatch: header('if-none-match'),
  ifUnmodifiedSince: header('if-unmodified-since', strictDate),
};

/** The four conditions of reads (RFC 9110 section 13). */
export const readConditions = {
  ...removeConditions,
  ifUnmodifiedSince: header('if-unmodified-since', date),
  ifModifiedSince: header('if-modified-since', date),
};

/** An ETag, or a date (RFC 9110 section 13.1.5). */
function entityOrDate(text: string): string | Date {
  const time = parseHttpDate(text);
  return time === undefined ? text : new Date(time);
}

/** Ranges of other units than bytes are ignored (RFC 9110 section 14.2). */
const byteRange = (text: string): string | undefined => (/^bytes=/i.test(text) ? text : undefined);

/** The range and the conditions of GetObject. */
export const getConditions = {
  range: header('range', byteRange),
  ifRange: header('if-range', entityOrDate),
  ...readConditions,
};
