/** Request times may be off by 15 minutes either way. */
export const MAX_SKEW = 15 * 60_000;

const BASIC = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** `20130524T000000Z`, as S3 writes it. */
export const basicTimestamp = (time: number): string =>
  extendedTimestamp(time).replace(/[-:]/g, '');

/** `2013-05-24T00:00:00Z`. */
export const extendedTimestamp = (time: number): string =>
  `${new Date(time).toISOString().slice(0, 19)}Z`;

/** Milliseconds since 1970. Undefined: not of this form, or no day of the calendar. */
export function readBasicTimestamp(text: string): number | undefined {
  const extended = text.replace(BASIC, '$1-$2-$3T$4:$5:$6Z');
  return extended === text ? undefined : readExtendedTimestamp(extended);
}

export function readExtendedTimestamp(text: string): number | undefined {
  const time = Date.parse(text);
  return !Number.isNaN(time) && extendedTimestamp(time) === text ? time : undefined;
}
