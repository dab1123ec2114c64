import { isNumber, isText, listOf, optional, shape, type Unchecked } from './shape.js';

/** A header of an object: lower-case name, and the value as the bytes that came (Latin-1 text). */
export type HeaderPair = readonly [name: string, value: string];

/** `length` bytes of a blob, from `offset` on. */
export interface Segment {
  readonly blob: string;
  readonly offset: number;
  readonly length: number;
  /** Of exactly these bytes, taken when they came in. */
  readonly crc32: number;
}

/** Where bytes are: in a record of their own when they are few, else in blobs. */
export type Content = Inline | Segments;

/** The id of the record that holds the bytes, and their checksum. */
export interface Inline {
  readonly inline: string;
  readonly crc32: number;
}

/** The segments of a manifest record first, when there is one, then these. */
export interface Segments {
  readonly manifest?: string;
  readonly segments: readonly Segment[];
}

const isSegment = shape<Segment>({
  blob: isText,
  offset: isNumber,
  length: isNumber,
  crc32: isNumber,
});

export const isSegments = shape<Segments>({
  manifest: optional(isText),
  segments: listOf(isSegment),
});

export function isContent(value: unknown): value is Content {
  if (typeof value !== 'object' || value === null) return false;
  const { inline, crc32 } = value as Unchecked<Inline>;
  return inline === undefined
    ? isSegments(value)
    : typeof inline === 'string' && typeof crc32 === 'number';
}

export const isHeaderPairs = listOf<HeaderPair>(
  (pair) => Array.isArray(pair) && pair.length === 2 && isText(pair[0]) && isText(pair[1]),
);
