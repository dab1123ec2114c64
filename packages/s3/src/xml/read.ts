import { givingWay } from '@bucketware/core/dialect';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { MalformedXmlError } from './malformed.js';

/** An element with either children or text. */
export interface XmlElement {
  /** Without a prefix. */
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
  /** The attribute `xsi:type`. */
  readonly type: string | undefined;
}

/** What a body may be at most. */
export interface XmlLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** Elements and attributes of the whole document. */
  readonly maxNodes: number;
  /** Characters of the text of all elements together: what stays in memory. */
  readonly maxText: number;
  /** Characters from one `<` to the next, as they are written. */
  readonly maxRun: number;
}

/**
 * CompleteMultipartUpload with 10,000 parts and their checksums has about 3 MiB and 40,000 elements.
 * The longest text is a key of 1,023 bytes, each written as an entity.
 */
const LIMITS: XmlLimits = {
  ...{ maxBytes: 4 * 2 ** 20, maxDepth: 10, maxNodes: 100_000 },
  ...{ maxText: 2 ** 21, maxRun: 2 ** 14 },
};

const XMLNS = 'http://www.w3.org/2000/xmlns/';
const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

/** Clients send S3's namespace as it is or was documented, or none. */
const NAMESPACES = /^(http:\/\/(s3\.amazonaws\.com\/doc|doc\.s3\.amazonaws\.com)\/2006-03-01\/?)?$/;

/** Reads a document from its bytes as they come. Other work gets its turn between them. */
export async function readXml(
  body: AsyncIterable<Uint8Array>,
  limits: Partial<XmlLimits> = {},
): Promise<XmlElement> {
  const reader = new XmlReader({ ...LIMITS, ...limits });
  const giveWay = givingWay();
  for await (const piece of body) {
    reader.push(piece);
    await giveWay();
  }
  return reader.end();
}

/** Reads a document that is at hand. */
export function parseXml(bytes: Uint8Array, limits: Partial<XmlLimits> = {}): XmlElement {
  const reader = new XmlReader({ ...LIMITS, ...limits });
  reader.push(bytes);
  return reader.end();
}

interface OpenElement {
  readonly name: string;
  readonly type: string | undefined;
  readonly children: XmlElement[];
  text: string;
}

/**
 * A strict reader of well-formed XML 1.0 in UTF-8. It takes elements, text, namespaces, `xsi:type`,
 * the five entities and numeric ones; no document types, comments, CDATA sections or processing
 * instructions, so nothing can be expanded, fetched or hidden.
 */
class XmlReader {
  readonly #limits: XmlLimits;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #parser = new SaxesParser({
    xmlns: true,
    position: false,
    defaultXMLVersion: '1.0',
    forceXMLVersion: true,
  });
  readonly #open: OpenElement[] = [];
  #root: XmlElement | undefined;
  #bytes = 0;
  #nodes = 0;
  #text = 0;
  /** What has come since the last `<`. */
  #run = 0;
  /** The last character, as markup may be cut anywhere. */
  #last = '';

  constructor(limits: XmlLimits) {
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

  push(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#limits.maxBytes) {
      throw new MalformedXmlError(`it has more than ${this.#limits.maxBytes} bytes.`);
    }
    this.#write(this.#decode(piece));
  }

  end(): XmlElement {
    this.#write(this.#decode());
    this.#parser.close();
    if (this.#root === undefined) throw new MalformedXmlError('it has no element.');
    return this.#root;
  }

  #decode(piece?: Uint8Array): string {
    try {
      return this.#decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw new MalformedXmlError('it is not valid UTF-8.'); // All that decode throws for.
    }
  }

  /** Text and attributes have no bare `<`, so `<!` starts markup wherever it stands. */
  #write(text: string): void {
    const seen = this.#last + text;
    if (seen.includes('<!')) throw foreignMarkup();
    this.#last = seen.slice(-1);
    this.#measure(text);
    this.#parser.write(text);
  }

  /** Until the next `<` the parser collects text in pieces, which take far more memory than it. */
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
        throw new MalformedXmlError('it may have no attributes but xmlns and xsi:type.');
      }
    }
    this.#open.push({ name: local, type, children: [], text: '' });
  }

  #takeText(text: string): void {
    const element = this.#open.at(-1);
    if (element === undefined) return;
    element.text += text;
    this.#text += text.length;
    if (this.#text <= this.#limits.maxText) return;
    throw new MalformedXmlError(`it has more than ${this.#limits.maxText} characters of text.`);
  }

  #takeEnd(): void {
    const element = this.#open.pop() as OpenElement;
    // Asked of every text: that puts its pieces together now, not those of all elements at once.
    const isBlank = /^[ \t\r\n]*$/.test(element.text);
    if (element.children.length > 0 && !isBlank) {
      throw new MalformedXmlError(`${element.name} has text between its elements.`);
    }
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#root = element;
    else parent.children.push(element);
  }
}

const foreignMarkup = () =>
  new MalformedXmlError('it may have no <! and no <? but the XML declaration.');
