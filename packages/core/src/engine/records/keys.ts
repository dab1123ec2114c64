/** The first key after `key`: NUL is the smallest character. */
export const after = (key: string): string => `${key}\0`;

/**
 * The first key after all keys that start with `prefix`, or `undefined` when there is none: the
 * last character that has a successor is replaced by its successor.
 */
export function afterPrefix(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  while (characters.length > 0) {
    const last = (characters.pop() as string).codePointAt(0) as number;
    if (last < 0x10ffff) {
      const next = last === 0xd7ff ? 0xe000 : last + 1;
      return characters.join('') + String.fromCodePoint(next);
    }
  }
  return undefined;
}
