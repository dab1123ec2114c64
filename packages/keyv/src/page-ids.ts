/**
 * A run of pages of one writer with consecutive numbers. Each open creates a new random token, so
 * no page id is ever used twice, and a write that arrives late can never replace a page in use.
 */
export interface Pages {
  readonly token: string;
  readonly first: number;
  readonly count: number;
}

/** Consists of lower-case letters and digits: some adapters treat `A` and `a` as the same key. */
export const pageId = (token: string, number: number): string => `${token}-${number.toString(36)}`;

export function idsOf({ token, first, count }: Pages): string[] {
  return Array.from({ length: count }, (_, index) => pageId(token, first + index));
}

export function pagesOf(id: string): Pages {
  const dash = id.indexOf('-');
  return { token: id.slice(0, dash), first: Number.parseInt(id.slice(dash + 1), 36), count: 1 };
}

/** A longer stored run is treated as damage, because its ids alone would fill the memory. */
const MAX_RUN = 2 ** 20;

/** Sorts the runs and joins adjacent ones. */
export function joinPages(all: readonly Pages[]): Pages[] {
  const sorted = all.toSorted((a, b) =>
    a.token === b.token ? a.first - b.first : a.token < b.token ? -1 : 1,
  );
  const joined: Pages[] = [];
  for (const pages of sorted) {
    const last = joined.at(-1);
    const follows = last?.token === pages.token && last.first + last.count === pages.first;
    if (last && follows && last.count + pages.count <= MAX_RUN) {
      joined[joined.length - 1] = { ...last, count: last.count + pages.count };
    } else if (pages.count > 0) {
      joined.push(pages);
    }
  }
  return joined;
}

/** Writes each token only once, before the numbers that belong to it. */
export function packPages(all: readonly Pages[]): (string | number)[] {
  const packed: (string | number)[] = [];
  let current: string | undefined;
  for (const { token, first, count } of all) {
    if (token !== current) packed.push(token);
    packed.push(first, count);
    current = token;
  }
  return packed;
}

export function unpackPages(packed: readonly (string | number)[]): Pages[] {
  const all: Pages[] = [];
  let token = '';
  for (let at = 0; at < packed.length; at += 2) {
    if (typeof packed[at] === 'string') token = packed[at++] as string;
    const [first, count] = [packed[at] as number, packed[at + 1] as number];
    if (!Number.isSafeInteger(first) || !(count >= 0 && count <= MAX_RUN)) {
      throw new Error('A stored list of pages is damaged. Restore the Keyv store from a backup.');
    }
    all.push({ token, first, count });
  }
  return all;
}

/** Packs ids into a text, in the given order: `token-1-2 other-1`. */
export function packIds(ids: readonly string[]): string {
  let packed = '';
  let current = ' ';
  for (const id of ids) {
    const dash = id.indexOf('-');
    if (id.startsWith(current)) {
      packed += id.slice(dash);
    } else {
      packed += packed === '' ? id : ` ${id}`;
      current = id.slice(0, dash + 1);
    }
  }
  return packed;
}

export function unpackIds(packed: string): string[] {
  return packed.split(' ').flatMap((group) => {
    const [token, ...numbers] = group.split('-');
    return numbers.map((number) => `${token}-${number}`);
  });
}
