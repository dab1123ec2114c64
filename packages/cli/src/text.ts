/**
 * Control characters, and those that change the direction of text. A key may contain any of them.
 */
const HIDDEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cs}]/gu;

/** Text that cannot move the cursor or change the colours of a terminal. */
export const printable = (text: string): string =>
  text.replace(HIDDEN, (sign) => {
    const code = (sign.codePointAt(0) as number).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
  });

/** JSON on one line, also without raw control characters. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** Such as `3.2 MB`. Units are powers of 1,000. */
export function bytes(count: number): string {
  let at = 0;
  let value = count;
  while (value >= 999.5 && at < UNITS.length - 1) {
    value /= 1000;
    at++;
  }
  return `${at === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${UNITS[at]}`;
}

/** Such as `1,234 objects`. */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

/** Such as `2026-11-22 12:34:56`, in UTC. */
export const when = (time: Date): string => time.toISOString().slice(0, 19).replace('T', ' ');
