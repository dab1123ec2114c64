import { isNumber, isText, listOf, optional, shape, type Unchecked } from './shape.js';

/**
 * A header of an object: lower-case name, and the value with exactly the bytes that were sent (as
 * Latin-1 text).
 */
export type HeaderPair = readonly [name: string, value: string];

/** `length` bytes of a blob, from `offset` on. */
export interface Segment {
  readonly blob: string;
  readonly offset: number;
  readonly length: number;
  /** The checksum of exactly these bytes, computed when they were stored. */
  readonly crc32: number;
}

/** Where the data is stored: in a separate record if small, otherwise in blobs. */
export type Content = Inline | Segments;

/** The id of the record that contains the data, and its checksum. */
export interface Inline {
  readonly inline: string;
  readonly crc32: number;
}

/** The segments of a manifest record, if there is one, followed by these. */
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
