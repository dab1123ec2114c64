/** Characters that nobody sees, or that turn a line around. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;
const MOST = 200;

/**
 * A client's text within a message: in quotes, and escaped, so that it can neither end a line of a
 * log nor look like words of ours. Long text is cut.
 */
export function quoted(text: string): string {
  const shown = text.length > MOST ? `${text.slice(0, MOST)}…` : text;
  return JSON.stringify(shown).replace(
    UNSEEN,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
