import type { Tag } from '../records/tags.js';

/** A rule for objects that have some tags. */
interface TaggedRule<Rule> {
  readonly rule: Rule;
  readonly prefixes: readonly string[];
  readonly tags: readonly Tag[];
}

/**
 * Rules for objects with tags, found by their first tag: an object has few tags, so it is compared with
 * few rules, however many there are.
 */
export class TaggedRules<Rule> {
  readonly #byFirstTag = new Map<string, TaggedRule<Rule>[]>();

  get isEmpty(): boolean {
    return this.#byFirstTag.size === 0;
  }

  /** `tags` are not empty. */
  add(rule: Rule, prefixes: readonly string[], tags: readonly Tag[]): void {
    const name = nameOf(tags[0] as Tag);
    const others = this.#byFirstTag.get(name) ?? [];
    this.#byFirstTag.set(name, [...others, { rule, prefixes, tags }]);
  }

  /** The rules for an object. */
  *matching(key: string, tags: readonly Tag[]): Generator<Rule> {
    if (this.isEmpty) return;
    const names = new Set(tags.map(nameOf));
    for (const name of names) {
      for (const { rule, prefixes, tags: wanted } of this.#byFirstTag.get(name) ?? []) {
        const fits = wanted.every((tag) => names.has(nameOf(tag)));
        if (fits && prefixes.some((prefix) => key.startsWith(prefix))) yield rule;
      }
    }
  }
}

/** No tag has a NUL. */
const nameOf = ([key, value]: Tag): string => `${key}\0${value}`;
