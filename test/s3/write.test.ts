import { NAMESPACE, writeXml } from '@bucketware/s3';
import test from 'ava';

const START = `<?xml version="1.0" encoding="UTF-8"?>\n<R xmlns="${NAMESPACE}">`;
const written = (content: Parameters<typeof writeXml>[1]): string => {
  const document = writeXml('R', content);
  return document.slice(START.length, -'</R>'.length);
};

test('a document has its namespace, lists repeat their element, and undefined is left out', (t) => {
  t.is(
    writeXml('R', { A: 'a', B: [{ C: 1 }, { C: true }], D: undefined, E: {}, F: '' }),
    `${START}<A>a</A><B><C>1</C></B><B><C>true</C></B><E></E><F></F></R>`,
  );
  t.is(
    written({ G: { '@xmlns:xsi': 'urn:x', '@xsi:type': 'a"b\n', ID: 'i' } }),
    '<G xmlns:xsi="urn:x" xsi:type="a&quot;b&#10;"><ID>i</ID></G>',
  );
});

test('text is escaped, including carriage returns, which readers would change', (t) => {
  t.is(written({ K: `<a href="x">&'\r\n\t]]>` }), `<K>&lt;a href="x"&gt;&amp;'&#13;\n\t]]&gt;</K>`);
  t.is(written({ K: 'ä你😀' }), '<K>ä你😀</K>');
});

test('characters that XML cannot contain become U+FFFD', (t) => {
  t.is(
    written({ K: '\0a\x01\x0b\x1f\ufffe\uffff\ud800b' }),
    `<K>\ufffda${'\ufffd'.repeat(6)}b</K>`,
  );
});
