import { type Tag, tagsToStore } from '../../engine/records/tags.js';
import { StorageError } from '../../errors.js';
import { MAX_BUCKET_TAGS, MAX_OBJECT_TAGS, MAX_TAG_KEY, MAX_TAG_VALUE } from '../../limits.js';
import { isPlainObject } from '../../options.js';
import { quoted } from '../../quoted.js';
import { InvalidValue, isText, type OptionalParameter, parameter } from './parameter.js';

/** Tags as programs pass and receive them: values by key. */
export type Tags = Readonly<Record<string, string>>;

/**
 * Lifecycle rules compare tags and people read them, so control characters and most symbols are not
 * allowed.
 */
const ALLOWED = /^[\p{L}\p{N}\p{Z}_.:/=+@-]*$/u;

const invalid = (message: string) => new StorageError('InvalidTag', message);

function requireTag(key: string, value: unknown): Tag {
  const shown = quoted(key);
  if (key === '' || !isText(key) || [...key].length > MAX_TAG_KEY) {
    throw invalid(`The key of a tag has 1 to ${MAX_TAG_KEY} characters: ${shown}.`);
  }
  if (!isText(value)) throw invalid(`The value of the tag ${shown} must be a string.`);
  if ([...value].length > MAX_TAG_VALUE) {
    throw invalid(`The value of the tag ${shown} has more than ${MAX_TAG_VALUE} characters.`);
  }
  if (ALLOWED.test(key) && ALLOWED.test(value)) return [key, value];
  throw invalid(`The tag ${shown} may contain only letters, digits, spaces and + - = . _ : / @.`);
}

const byKey = ([one]: Tag, [other]: Tag): number => (one < other ? -1 : 1);

/** Checks the tags and returns them as pairs. Throws InvalidTag. */
export function requireTags(given: object, most = MAX_OBJECT_TAGS): readonly Tag[] {
  const tags = Object.entries(given);
  if (tags.length > most) throw invalid(`There may be at most ${most} tags.`);
  return tags.map(([key, value]) => requireTag(key, value)).sort(byKey);
}

const tagsUpTo = (most: number): OptionalParameter<readonly Tag[], Tags> =>
  parameter((given) => {
    if (isPlainObject(given)) return requireTags(given, most);
    throw new InvalidValue('an object of strings');
  });

export const objectTags = tagsUpTo(MAX_OBJECT_TAGS);
export const bucketTags = tagsUpTo(MAX_BUCKET_TAGS);

export const tagsOf = ({ tags = [] }: { readonly tags?: readonly Tag[] | undefined }) =>
  tagsToStore(tags);

/** Tags as they are returned. */
export const shownTags = (tags: readonly Tag[] = []): Tags => Object.fromEntries(tags);
