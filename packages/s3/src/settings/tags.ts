import {
  MAX_LISTED,
  percentDecode,
  StorageError,
  type Tags,
  utf8Of,
} from '@bucketware/core/dialect';
import { asS3Error, invalid } from '../errors.js';
import { amz } from '../readers.js';
import { tagging as document, type Tagging } from '../xml/documents/tagging.js';
import type { XmlChildren } from '../xml/write.js';

type Pair = readonly [key: string, value: string];

/** Throws for a repeated key, and for keys with the reserved prefix `aws:`. */
function tagsFrom(pairs: readonly Pair[], twice: (key: string) => Error): Tags {
  const tags = new Map<string, string>();
  for (const [key, value] of pairs) {
    if (tags.has(key)) throw twice(key);
    if (/^aws:/i.test(key)) {
      throw new StorageError('InvalidTag', 'The keys of tags must not begin with aws:.');
    }
    tags.set(key, value);
  }
  return Object.fromEntries(tags);
}

/** The tags of a body. */
export const tagsInBody = ({ TagSet: { Tag: tags } }: Tagging): Tags =>
  tagsFrom(
    tags.map(({ Key: key, Value: value }) => [key, value]),
    () => new StorageError('InvalidTag', 'Cannot provide multiple Tags with the same key.'),
  );

/** The tags in a form field, which contains the same XML as the body. */
export function tagsInField(xml: string): Tags {
  try {
    return tagsInBody(document.parse(Buffer.from(xml)));
  } catch (error) {
    throw asS3Error(error);
  }
}

const malformed = () =>
  invalid('The header x-amz-tagging must be written like a query, with each key once: a=1&b=2.');

const decoded = (text: string): string => {
  const found = percentDecode(text.replaceAll('+', ' '));
  if (found === undefined) throw malformed();
  return found;
};

/** The tags in a header, written like the query of a URL. */
function tagsInHeader(header: string): Tags {
  const text = utf8Of(header);
  if (text === undefined) throw malformed();
  const pairs = text.split('&', MAX_LISTED + 1).map((pair): Pair => {
    const [key = '', ...value] = pair.split('=');
    return [decoded(key), decoded(value.join('='))];
  });
  return tagsFrom(pairs, malformed);
}

export const taggingHeader = { tags: amz('x-amz-tagging', tagsInHeader) };

/** Tags in the form of S3. */
export const shownTagSet = (tags: Tags): XmlChildren => ({
  TagSet: { Tag: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) },
});
