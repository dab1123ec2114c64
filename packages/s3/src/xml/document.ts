import { MalformedXmlError } from './malformed.js';
import { type Kept, parseXml, readXml } from './read.js';
import type { Shape } from './shapes.js';

/** A kind of request body. Both readers throw a {@link MalformedXmlError}. */
export interface XmlDocument<T> {
  /**
   * Reads a body as it arrives. Calls `kept` with the approximate memory, in bytes, that the values
   * from each piece take in addition to their text. If `kept` throws, reading ends.
   */
  read(body: AsyncIterable<Uint8Array>, kept?: Kept): Promise<T>;
  /** Reads a body in memory. */
  parse(body: Uint8Array): T;
}

/** The type that a document reads. */
export type Read<D> = D extends XmlDocument<infer T> ? T : never;

/** The size limits of a kind of document. */
export interface DocumentLimits {
  readonly maxBytes: number;
  /** Elements and attributes. */
  readonly maxNodes: number;
}

export const document = <T>(
  root: string,
  shape: Shape<T>,
  limits: DocumentLimits,
): XmlDocument<T> => {
  const shapeOf = (name: string): Shape<T> => {
    if (name === root) return shape;
    throw new MalformedXmlError(`its root must be ${root}.`);
  };
  return {
    read: (body, kept) => readXml(body, shapeOf, limits, kept),
    parse: (body) => parseXml(body, shapeOf, limits),
  };
};

export const KIB = 1024;
