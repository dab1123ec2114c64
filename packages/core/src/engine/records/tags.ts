import { isText, listOf } from './shape.js';

/** A tag of an object or bucket. */
export type Tag = readonly [key: string, value: string];

/** A record that may have tags. They are sorted by key, and absent when there are none. */
export interface Tagged {
  readonly tags?: readonly Tag[] | undefined;
}

/** Tags in the form that records store. */
export const tagsToStore = (tags: readonly Tag[]): readonly Tag[] | undefined =>
  tags.length === 0 ? undefined : tags;

export const isTags = listOf<Tag>(
  (tag) => Array.isArray(tag) && tag.length === 2 && isText(tag[0]) && isText(tag[1]),
);
