import { MalformedXmlError } from './malformed.js';
import { parseXml, readXml, type XmlElement } from './read.js';
import type { Shape } from './shapes.js';

/** A kind of request body. Both readers throw a {@link MalformedXmlError}. */
export interface XmlDocument<T> {
  /** Reads a body as it comes. */
  read(body: AsyncIterable<Uint8Array>): Promise<T>;
  /** Reads a body that is at hand. */
  parse(body: Uint8Array): T;
}

/** The type that a document reads. */
export type Read<D> = D extends XmlDocument<infer T> ? T : never;

export function document<T>(root: string, shape: Shape<T>, maxBytes: number): XmlDocument<T> {
  const take = (element: XmlElement): T => {
    if (element.name === root) return shape(element);
    throw new MalformedXmlError(`its root must be ${root}.`);
  };
  return {
    read: async (body) => take(await readXml(body, { maxBytes })),
    parse: (body) => take(parseXml(body, { maxBytes })),
  };
}

export const KIB = 1024;
