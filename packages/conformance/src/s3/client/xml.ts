import assert from 'node:assert/strict';
import type { Answer } from '../../http/answer.js';

/** An element of a response. */
export interface Element {
  readonly name: string;
  readonly attributes: string;
  readonly text: string;
  readonly children: readonly Element[];
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"' },
  ...{ '#13': '\r', '#10': '\n', '#9': '\t' },
};

/** Parses a response, which must have no comments, sections or white space between elements. */
function parse(text: string): Element {
  const tokens = text.replace(/^<\?xml [^?]*\?>\n/, '').match(/<[^>]*>|[^<]+/g) ?? [];
  const root = { name: '', attributes: '', text: '', children: [] as Element[] };
  const open: { name: string; attributes: string; text: string; children: Element[] }[] = [root];
  for (const token of tokens) {
    const last = open.at(-1) as typeof root;
    const [, closing, name = '', attributes = ''] = /^<(\/?)([\w:.-]+)([^>]*)>$/.exec(token) ?? [];
    if (name === '') {
      last.text += token.replace(/&([^;]+);/g, (all, entity: string) => ENTITIES[entity] ?? all);
    } else if (closing === '/') {
      assert.equal(open.pop()?.name, name, 'a response must be well-formed');
    } else {
      const element = { name, attributes, text: '', children: [] };
      last.children.push(element);
      open.push(element);
    }
  }
  const [only] = root.children;
  assert.ok(only && open.length === 1 && root.children.length === 1, `no XML: ${text}`);
  return only;
}

/** The document in a response. */
export function documentIn(answer: Answer, root: string): Element {
  assert.equal(answer.header('content-type'), 'application/xml');
  const element = parse(answer.text);
  assert.equal(element.name, root);
  return element;
}

/** A time in a document. */
export function timeOf(text: string): Date {
  assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return new Date(text);
}

export const all = (element: Element, name: string): readonly Element[] =>
  element.children.filter((child) => child.name === name);

/** The text of an element that occurs at most once. */
export function optional(element: Element, name: string): string | undefined {
  const found = all(element, name);
  assert.ok(found.length < 2, `${element.name} has ${found.length} of ${name}`);
  return found[0]?.text;
}

export function one(element: Element, name: string): string {
  const found = optional(element, name);
  assert.notEqual(found, undefined, `${element.name} lacks ${name}`);
  return found as string;
}

/** Asserts that an element has no children other than these. */
export function knows(element: Element, ...names: readonly string[]): void {
  const unknown = element.children.map(({ name }) => name).filter((name) => !names.includes(name));
  assert.deepEqual(unknown, [], element.name);
}

type Content = string | number | boolean | readonly Node[];
export type Node = readonly [name: string, content: Content, attributes?: string];

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Writes the body of a request. */
export function write([name, content, attributes = '']: Node): string {
  const inner = Array.isArray(content)
    ? (content as readonly Node[]).map(write).join('')
    : `${content}`
        .replace(/[&<>]/g, (sign) => ESCAPES[sign] as string)
        .replace(/[\r\n\t]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<${name}${attributes}>${inner}</${name}>`;
}
