/** The namespace of S3's documents. */
export const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/**
 * The content of an element: text, or its child elements by name. A list repeats the element, and
 * `undefined` leaves it out. A name that starts with `@` is an attribute, and `#text` is the text
 * of the element itself.
 *
 * ```ts
 * writeXml('ListBucketResult', { Name: 'photos', Contents: [{ Key: 'a' }, { Key: 'b' }] });
 * ```
 */
export type XmlContent = XmlText | XmlChildren;
type XmlText = string | number | boolean;
export interface XmlChildren {
  readonly [name: string]: XmlContent | readonly XmlContent[] | undefined;
}

/**
 * A document in the namespace of S3, in UTF-8. Names come from the caller and are not checked.
 *
 * XML 1.0 cannot contain control characters, U+FFFE, U+FFFF and lone surrogates. They become
 * U+FFFD, so that one such key does not make a listing unreadable. Clients that need these keys
 * exactly request `encoding-type=url`: the caller then percent-encodes the keys.
 */
export const writeXml = (root: string, content: XmlChildren): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, { '@xmlns': NAMESPACE, ...content })}`;

function element(name: string, content: XmlContent): string {
  if (typeof content !== 'object') return `<${name}>${escapeText(`${content}`)}</${name}>`;
  let attributes = '';
  let children = '';
  for (const key of Object.keys(content)) {
    const given = content[key];
    if (given === undefined) continue;
    if (key === '#text') children += escapeText(`${given}`);
    else if (key.startsWith('@')) attributes += ` ${key.slice(1)}="${escapeAttribute(`${given}`)}"`;
    else if (isList(given)) for (const item of given) children += element(key, item);
    else children += element(key, given);
  }
  return `<${name}${attributes}>${children}</${name}>`;
}

const isList = (given: XmlContent | readonly XmlContent[]): given is readonly XmlContent[] =>
  Array.isArray(given);

const SPECIAL = /[&<>\r\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]/;
const SPECIALS = /[&<>\r\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;
const IN_ATTRIBUTES = /["\t\n]/g;

/** A carriage return is escaped because XML readers would convert it to a line feed. */
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

const escaped = (character: string): string => ESCAPES[character] ?? '\ufffd';

const escapeText = (text: string): string =>
  SPECIAL.test(text) ? text.toWellFormed().replace(SPECIALS, escaped) : text;

const escapeAttribute = (text: string): string => escapeText(text).replace(IN_ATTRIBUTES, escaped);
