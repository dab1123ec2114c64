/** Characters that are invisible or change the direction of text. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;
const MOST = 200;

/**
 * A client's text in a message, quoted and escaped, so that it can neither break a line of a log
 * nor look like our own words. Long text is truncated.
 */
export function quoted(text: string): string {
  const shown = text.length > MOST ? `${text.slice(0, MOST)}…` : text;
  return JSON.stringify(shown).replace(
    UNSEEN,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
