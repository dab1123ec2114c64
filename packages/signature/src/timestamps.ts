/** How far the time of a request may differ from that of the server, in milliseconds. */
export const MAX_SKEW = 15 * 60_000;

const BASIC = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
const EXTENDED = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z$/;

/** `20130524T000000Z`, the format of S3. */
export const basicTimestamp = (time: number): string =>
  extendedTimestamp(time).replace(/[-:]/g, '');

/** `2013-05-24T00:00:00Z`. */
export const extendedTimestamp = (time: number): string =>
  `${new Date(time).toISOString().slice(0, 19)}Z`;

/**
 * Milliseconds since 1970, or `undefined` if the text has another form or the date does not exist.
 */
export const readBasicTimestamp = (text: string): number | undefined => timeOf(BASIC.exec(text));

export const readExtendedTimestamp = (text: string): number | undefined =>
  timeOf(EXTENDED.exec(text));

function timeOf(found: RegExpExecArray | null): number | undefined {
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second] = found.map(Number) as Fields;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // Date converts a day that does not exist in its month into one of the next month.
  return date.getUTCMonth() === month - 1 ? date.getTime() : undefined;
}

type Fields = [unknown, number, number, number, number, number, number];
