import { createYielder } from '@bucketware/core/dialect';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { MalformedXmlError } from './malformed.js';
import type { Opened, Shape } from './shapes.js';

/** The limits of a body. */
export interface XmlLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** The maximum number of elements and attributes in the document. */
  readonly maxNodes: number;
  /**
   * The maximum number of characters in the text of all elements together, which stays in memory.
   */
  readonly maxText: number;
  /** The maximum number of characters from one `<` to the next, as written. */
  readonly maxRun: number;
}

/**
 * CompleteMultipartUpload with 10,000 parts and checksums has about 3 MiB and 40,000 elements. The
 * longest text is a key of 1,023 bytes, each written as an entity.
 */
const LIMITS: XmlLimits = {
  ...{ maxBytes: 4 * 2 ** 20, maxDepth: 10, maxNodes: 100_000 },
  ...{ maxText: 2 ** 21, maxRun: 2 ** 14 },
};

const XMLNS = 'http://www.w3.org/2000/xmlns/';
const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

/** Clients send the current or an earlier namespace of S3, or none. */
const NAMESPACES = /^(http:\/\/(s3\.amazonaws\.com\/doc|doc\.s3\.amazonaws\.com)\/2006-03-01\/?)?$/;

/** The shape of a root element, by its name. Throws a {@link MalformedXmlError}. */
export type XmlRoot<T> = (name: string) => Shape<T>;

/** Called with the number of bytes that stay in use. If it throws, reading ends. */
export type Kept = (bytes: number) => void;

/** The average memory that an element takes in addition to its text in real documents, in bytes. */
const BYTES_OF_NODE = 48;

/** Reads a document as it arrives. Between pieces, other work gets its turn. */
export async function readXml<T>(
  body: AsyncIterable<Uint8Array>,
  root: XmlRoot<T>,
  limits: Partial<XmlLimits> = {},
  kept: Kept = () => {},
): Promise<T> {
  const reader = new XmlReader(root, { ...LIMITS, ...limits });
  const yieldIfDue = createYielder();
  for await (const piece of body) {
    const before = reader.nodes;
    reader.push(piece);
    kept((reader.nodes - before) * BYTES_OF_NODE);
    await yieldIfDue();
  }
  return reader.end();
}

/** Reads a document in memory. */
export function parseXml<T>(
  bytes: Uint8Array,
  root: XmlRoot<T>,
  limits: Partial<XmlLimits> = {},
): T {
  const reader = new XmlReader(root, { ...LIMITS, ...limits });
  reader.push(bytes);
  return reader.end();
}

interface OpenElement {
  readonly name: string;
  readonly opened: Opened<unknown>;
  hasChildren: boolean;
  text: string;
}

/**
 * A strict reader for well-formed XML 1.0 in UTF-8. It accepts elements, text, namespaces,
 * `xsi:type`, the five predefined entities and numeric ones. It rejects document types, comments,
 * CDATA sections and processing instructions, so nothing can be expanded, fetched or hidden.
 */
class XmlReader<T> {
  readonly #shapeOfRoot: XmlRoot<T>;
  readonly #limits: XmlLimits;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #parser = new SaxesParser({
    xmlns: true,
    position: false,
    defaultXMLVersion: '1.0',
    forceXMLVersion: true,
  });
  readonly #open: OpenElement[] = [];
  #root: { readonly value: T } | undefined;
  #bytes = 0;
  #nodes = 0;
  #text = 0;
  /** The number of characters since the last `<`. */
  #run = 0;
  /** The last character of the previous piece, because markup may be split anywhere. */
  #last = '';

  constructor(root: XmlRoot<T>, limits: XmlLimits) {
    this.#shapeOfRoot = root;
    this.#limits = limits;
    this.#parser.on('error', ({ message }) => {
      throw new MalformedXmlError(`${message.slice(0, 200)}.`);
    });
    this.#parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
      if (encoding.toLowerCase() !== 'utf-8') throw new MalformedXmlError('it must be in UTF-8.');
    });
    this.#parser.on('processinginstruction', () => {
      throw foreignMarkup();
    });
    this.#parser.on('opentagstart', () => this.#takeName());
    this.#parser.on('attribute', () => this.#count());
    this.#parser.on('opentag', (tag) => this.#takeStart(tag));
    this.#parser.on('text', (text) => this.#takeText(text));
    this.#parser.on('closetag', () => this.#takeEnd());
  }

  /** The number of elements and attributes so far. */
  get nodes(): number {
    return this.#nodes;
  }

  push(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#limits.maxBytes) {
      throw new MalformedXmlError(`it has more than ${this.#limits.maxBytes} bytes.`);
    }
    this.#write(this.#decode(piece));
  }

  end(): T {
    this.#write(this.#decode());
    this.#parser.close();
    if (this.#root === undefined) throw new MalformedXmlError('it has no element.');
    return this.#root.value;
  }

  #decode(piece?: Uint8Array): string {
    try {
      return this.#decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw new MalformedXmlError('it is not valid UTF-8.'); // The only reason why decode throws.
    }
  }

  /** Text and attributes cannot contain a bare `<`, so `<!` always starts markup. */
  #write(text: string): void {
    const seen = this.#last + text;
    if (seen.includes('<!')) throw foreignMarkup();
    this.#last = seen.slice(-1);
    this.#measure(text);
    this.#parser.write(text);
  }

  /**
   * Limits the text up to the next `<`: until then, the parser collects it in pieces, which take
   * far more memory than the text.
   */
  #measure(text: string): void {
    for (const [at, run] of text.split('<').entries()) {
      this.#run = at === 0 ? this.#run + run.length : run.length;
      if (this.#run <= this.#limits.maxRun) continue;
      throw new MalformedXmlError(`it has a text of more than ${this.#limits.maxRun} characters.`);
    }
  }

  #takeName(): void {
    this.#count();
    if (this.#open.length < this.#limits.maxDepth) return;
    throw new MalformedXmlError(`its elements are more than ${this.#limits.maxDepth} deep.`);
  }

  #count(): void {
    this.#nodes++;
    if (this.#nodes <= this.#limits.maxNodes) return;
    throw new MalformedXmlError(`it has more than ${this.#limits.maxNodes} elements.`);
  }

  #takeStart({ local, uri, attributes }: SaxesTagNS): void {
    if (!NAMESPACES.test(uri)) throw new MalformedXmlError('it has an unknown namespace.');
    let type: string | undefined;
    for (const attribute of Object.values(attributes)) {
      if (attribute.uri === XSI && attribute.local === 'type') type = attribute.value;
      else if (attribute.uri !== XMLNS) {
        throw new MalformedXmlError('it may have no attributes except xmlns and xsi:type.');
      }
    }
    this.#open.push({
      name: local,
      opened: this.#shapeOf(local).open(local, type),
      hasChildren: false,
      text: '',
    });
  }

  #shapeOf(name: string): Shape<unknown> {
    const parent = this.#open.at(-1);
    if (parent === undefined) return this.#shapeOfRoot(name);
    requireBlank(parent);
    parent.hasChildren = true;
    parent.text = '';
    return parent.opened.child(name);
  }

  #takeText(text: string): void {
    const element = this.#open.at(-1);
    if (element === undefined) return;
    this.#text += text.length;
    if (this.#text > this.#limits.maxText) {
      throw new MalformedXmlError(`it has more than ${this.#limits.maxText} characters of text.`);
    }
    if (element.hasChildren) requireBlank({ name: element.name, text });
    else element.text += text;
  }

  #takeEnd(): void {
    const { name, opened, text } = this.#open.pop() as OpenElement;
    const value = opened.end(detached(text));
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#root = { value: value as T };
    else parent.opened.add(name, value);
  }
}

function requireBlank({ name, text }: Pick<OpenElement, 'name' | 'text'>): void {
  if (/^[ \t\r\n]*$/.test(text)) return;
  throw new MalformedXmlError(`${name} has text between its elements.`);
}

/**
 * Copies longer texts, because they are slices of pieces of the body and would keep these in
 * memory.
 */
const detached = (text: string): string => (text.length < 13 ? text : Buffer.from(text).toString());

const foreignMarkup = () =>
  new MalformedXmlError('it may have no <! and no <? but the XML declaration.');
