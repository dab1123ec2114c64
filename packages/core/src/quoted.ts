/** Characters that are invisible or change the direction of text. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;
const MOST = 200;

/**
 * Quotes and escapes a client's text for a message, so that it can neither break a log line nor
 * pass for our own text. Long text is truncated.
 */
export function quoted(text: string): string {
  const shown = text.length > MOST ? `${text.slice(0, MOST)}…` : text;
  return JSON.stringify(shown).replace(
    UNSEEN,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
