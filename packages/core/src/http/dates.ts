const IMF = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC850 = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** The three forms of RFC 9110 section 5.6.7 as milliseconds, or `undefined` for anything else. */
export function parseHttpDate(text: string): number | undefined {
  const isAsctime = ASCTIME.test(text);
  if (!isAsctime && !IMF.test(text) && !RFC850.test(text)) return undefined;
  const time = Date.parse(isAsctime ? `${text} GMT` : text);
  const start = isAsctime ? 'Sun Nov '.length : text.indexOf(',') + 2;
  // Date.parse takes the 31st of February as the 3rd of March.
  return new Date(time).getUTCDate() === Number(text.slice(start, start + 2)) ? time : undefined;
}

/**
 * The text of the last time that was formatted: responses about one object often have the same
 * time.
 */
let last = { time: Number.NaN, text: '' };

export function httpDate(time: number): string {
  if (last.time !== time) last = { time, text: new Date(time).toUTCString() };
  return last.text;
}

/** Timestamps in bodies: `yyyy-mm-ddThh:mm:ssZ` (Conventions). */
export const isoSeconds = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;
