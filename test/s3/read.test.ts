import {
  MalformedXmlError,
  NAMESPACE,
  type Opened,
  parseXml,
  readXml,
  type Shape,
  writeXml,
  type XmlChildren,
} from '@bucketware/s3';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { inPieces } from '../signature/fixtures.js';

/** An element with either children or text. */
interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
  readonly type: string | undefined;
}

/** Accepts any document. */
const tree: Shape<XmlElement> = {
  open(name, type): Opened<XmlElement> {
    const children: XmlElement[] = [];
    return {
      child: () => tree,
      add: (_name, child) => void children.push(child as XmlElement),
      end: (text) => ({ name, text, children, type }),
    };
  },
};
const anyRoot = () => tree;

const read = (text: string | Uint8Array, limits = {}) =>
  parseXml(Buffer.from(text as string), anyRoot, limits);

/** Asserts that a document is rejected, both at once and byte by byte. */
async function refused(t: ExecutionContext, text: string | Uint8Array, limits = {}): Promise<void> {
  const bytes = Buffer.from(text as string);
  const what = bytes.subarray(0, 100).toString();
  const error = t.throws(
    () => parseXml(bytes, anyRoot, limits),
    { instanceOf: MalformedXmlError },
    what,
  );
  t.is(error?.code, 'MalformedXML');
  const pieces = inPieces(bytes, Array(Math.min(bytes.length, 2000)).fill(1));
  await t.throwsAsync(readXml(pieces, anyRoot, limits), { instanceOf: MalformedXmlError }, what);
}

const names = fc.constantFrom('Key', 'ETag', 'Owner', 'a-b', 'Größe');
const content = fc.letrec((tie) => ({
  text: fc.string({ unit: 'binary', maxLength: 20 }),
  children: fc.dictionary(names, fc.oneof(tie('text'), tie('children')), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
})).children as fc.Arbitrary<XmlChildren>;

const isWritable = (text: string) => !/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text);

/** The content as it is read after it was written: without what XML cannot express. */
const expected = (given: unknown): unknown =>
  typeof given === 'string'
    ? isWritable(given)
      ? given
      : given.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    : Object.entries(given as object).map(([name, value]) => [name, expected(value)]);

const shown = ({ children, text }: XmlElement, given: unknown): unknown =>
  typeof given === 'string'
    ? text
    : children.map((child) => [child.name, shown(child, (given as XmlChildren)[child.name])]);

test('written XML is read back correctly, whatever the text and however it is split', async (t) => {
  await fc.assert(
    fc.asyncProperty(content, fc.array(fc.nat(20), { maxLength: 20 }), async (given, sizes) => {
      const bytes = Buffer.from(writeXml('Root', given));
      const root = await readXml(inPieces(bytes, sizes), anyRoot, { maxDepth: 50 });
      t.deepEqual(shown(root, given), expected(given));
    }),
    { numRuns: 150 },
  );
});

test('a namespace may be the default, have a prefix, or be absent', (t) => {
  const documents = [
    '<A><B>1</B></A>',
    `<A xmlns="${NAMESPACE}"><B>1</B></A>`,
    `<s3:A xmlns:s3='${NAMESPACE}'><s3:B>1</s3:B></s3:A>`,
    `<A xmlns="http://doc.s3.amazonaws.com/2006-03-01"><B xmlns="">1</B></A>`,
    `\ufeff<?xml version="1.0" encoding="utf-8" standalone="yes"?>\r\n<A>\n\t<B>1</B>\n</A>\n`,
  ];
  for (const document of documents) {
    const { name, children } = read(document);
    t.is(name, 'A', document);
    t.deepEqual(children, [{ name: 'B', text: '1', children: [], type: undefined }], document);
  }
});

test('text keeps its spaces, and entities and line ends are read as XML requires', (t) => {
  t.is(
    read('<A> a&amp;&lt;&gt;&quot;&apos;&#x41;&#66;&#x1F600;\r\nb&#13;\n </A>').text,
    ' a&<>"\'AB😀\nb\r\n ',
  );
  t.is(read('<A/>').text, '');
});

test('xsi:type is the only attribute', async (t) => {
  const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
  t.is(read(`<G ${xsi} xsi:type="Group"/>`).type, 'Group');
  for (const attribute of [
    'id="1"',
    'type="Group"',
    `${xsi} xsi:nil="1"`,
    `${xsi} type="Group"`,
    'xml:lang="de"',
    'xmlns:x="u" x:type="Group"',
  ]) {
    await refused(t, `<G ${attribute}/>`);
  }
});

test('markup that could expand, fetch or hide something is rejected', async (t) => {
  const laughs = Array.from(
    { length: 10 },
    (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
  );
  for (const document of [
    `<?xml version="1.0"?><!DOCTYPE A [<!ENTITY l0 "lol">${laughs.join('')}]><A>&l10;</A>`,
    '<!DOCTYPE A SYSTEM "file:///etc/passwd"><A/>',
    '<!DOCTYPE A [<!ENTITY x SYSTEM "http://127.0.0.1/">]><A>&x;</A>',
    '<!DOCTYPE A><A/>',
    '<A><!-- hidden --></A>',
    '<A><![CDATA[x]]></A>',
    '<A><?php x ?></A>',
    '<?php x ?><A/>',
    '<A/><?php x ?>',
    ' <?xml version="1.0"?><A/>',
    '<?xml version="1.0"?><?xml version="1.0"?><A/>',
    '<A/><!-- -->',
  ]) {
    await refused(t, document);
  }
});

test('anything but well-formed XML 1.0 in UTF-8 is rejected', async (t) => {
  for (const document of [
    '',
    ' ',
    'text',
    '{"a":1}',
    '<A>',
    '<A',
    '</A>',
    '<A></B>',
    '<A><B></A></B>',
    '<A/><B/>',
    '<A/>x',
    'x<A/>',
    '<A>a<B/>b</A>',
    '<A>&nbsp;</A>',
    '<A>&toString;</A>',
    '<A>&__proto__;</A>',
    '<A>&</A>',
    '<A>&amp</A>',
    '<A>&#0;</A>',
    '<A>&#1;</A>',
    '<A>&#xD800;</A>',
    '<A>&#xFFFE;</A>',
    '<A>&#x110000;</A>',
    '<A>&#99999999999999999999;</A>',
    '<A>\0</A>',
    '<A>\x1b</A>',
    '<A>\uffff</A>',
    '<A>]]></A>',
    '<A xmlns=""" />',
    '<A xmlns="a" xmlns="a"/>',
    '<x:A/>',
    '<A xmlns="urn:other"/>',
    `<A xmlns="${NAMESPACE}"><B xmlns="urn:other"/></A>`,
    '<?xml version="1.1"?><A>&#1;</A>',
    '<?xml version="1.0" encoding="utf-16"?><A/>',
    '<?xml version="1.0" encoding="ISO-8859-1"?><A/>',
    Buffer.from('<A>\u00e4</A>', 'latin1'),
    Buffer.from('<A>\xc0\xaf</A>', 'latin1'),
    Buffer.from('<A>\xed\xa0\x80</A>', 'latin1'),
    Buffer.from('<A/>\xe4', 'latin1'),
    Buffer.from('\ufeff<A/>', 'utf16le'),
  ]) {
    await refused(t, document);
  }
});

test('the bytes, text, depth and number of elements and attributes are limited', async (t) => {
  const deep = (depth: number) => '<A>'.repeat(depth) + '</A>'.repeat(depth);
  t.is(read(deep(5), { maxDepth: 5 }).children.length, 1);
  await refused(t, deep(6), { maxDepth: 5 });
  await refused(t, '<A>'.repeat(100_000));
  const wide = (count: number) => `<A>${'<B/>'.repeat(count)}</A>`;
  t.is(read(wide(9), { maxNodes: 10 }).children.length, 9);
  await refused(t, wide(10), { maxNodes: 10 });
  const spaces = Array.from({ length: 10 }, (_, at) => `xmlns:n${at}="u"`).join(' ');
  await refused(t, `<A ${spaces}/>`, { maxNodes: 10 });
  t.is(read('<A>12345</A>', { maxBytes: 12 }).text, '12345');
  await refused(t, '<A>12345</A>', { maxBytes: 11 });
  t.is(read('<A><B>12</B><B>3&amp;</B></A>', { maxText: 4 }).children.length, 2);
  await refused(t, '<A><B>12</B><B>3&amp;</B></A>', { maxText: 3 });
  t.is(read('<A>&amp;12</A>', { maxRun: 9 }).text, '&12');
  for (const text of ['&amp;12', '       ', '\r\r\r\r\r\r\r', '<B bbbbbb="" />']) {
    await refused(t, `<A>${text}</A>`, { maxRun: 8 });
  }
  await refused(t, `<A/>${' '.repeat(8)}`, { maxRun: 8 });
});

test('reading an endless body stops when it is too long, whatever it consists of', async (t) => {
  for (const unit of ['x', ' ', '<A>', 'é', '&#65;', '<A x', '<A xmlns="']) {
    let given = 0;
    const endless = async function* () {
      for (;;) {
        const piece = Buffer.from(unit.repeat(1000));
        given += piece.length;
        yield piece;
      }
    };
    await t.throwsAsync(readXml(endless(), anyRoot, { maxBytes: 2 ** 20 }), {
      instanceOf: MalformedXmlError,
    });
    t.true(given <= 2 ** 20 + 10_000, unit);
  }
});

test('the longest bodies can be read in the smallest pieces', async (t) => {
  const size = 2 ** 20;
  const text = `<B>${'a&amp;b '.repeat(1000)}</B>`;
  const bytes = Buffer.from(`<A>${text.repeat(size / 8000)}</A>`);
  const piecewise = async function* () {
    for (let at = 0; at < bytes.length; at++) yield bytes.subarray(at, at + 1);
  };
  t.is((await readXml(piecewise(), anyRoot)).children.length, Math.floor(size / 8000));
});

test('other work gets its turn while a body in memory is read', async (t) => {
  const piece = Buffer.from(`<B>${'&amp;'.repeat(1000)}</B>`.repeat(10));
  const body = async function* () {
    yield Buffer.from('<A>');
    for (let count = 0; count < 80; count++) yield piece;
    yield Buffer.from('</A>');
  };
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  t.teardown(() => clearInterval(counting));
  t.is((await readXml(body(), anyRoot)).children.length, 800);
  t.true(turns >= 3);
});
