import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { core, jsonTerms } from '../hostile/core.js';
import { prepare } from '../hostile/requests.js';
import { codeOf, parseAnswer } from '../hostile/scan.js';
import { IN_MEMORY, stage } from '../hostile/stage.js';
import { dial } from '../http/raw.js';

/** Every operation that reads JSON: how to send it, and the member with its list. */
const operations = (uploadId: string) =>
  [
    ['DeleteMultipleObjects', 'POST', '/bucket?delete', 'objects', 2 << 20],
    ['CompleteMultipartUpload', 'POST', `/bucket/a?uploadId=${uploadId}`, 'parts', 1 << 20],
    ['PutBucketAcl', 'PUT', '/bucket?acl', 'accessControlList', 20 << 10],
    ['PutObjectAcl', 'PUT', '/bucket/a?acl', 'accessControlList', 20 << 10],
    ['PutBucketCors', 'PUT', '/bucket?cors', 'corsConfiguration', 20 << 10],
    ['PutBucketLifecycle', 'PUT', '/bucket?lifecycle', 'rule', 1 << 20],
  ] as const;

const deep = (depth: number, inner = ''): string => '['.repeat(depth) + inner + ']'.repeat(depth);

/** Bodies that are not JSON in UTF-8. */
const BROKEN = [
  ...[
    '{',
    '}',
    '[',
    '"',
    '{"a"',
    '{"a":}',
    '{a:1}',
    "{'a':1}",
    '{"a":1,}',
    '[1,]',
    '[,]',
    '{"a":1}}',
  ],
  ...['{"a":NaN}', '{"a":Infinity}', '{"a":0x10}', '{"a":01}', '{"a":+1}', '{"a":.5}', '{"a":1e}'],
  ...[
    '{"a":undefined}',
    '/* */{}',
    '{}//',
    '{"a":"\n"}',
    '{"a":"\\x41"}',
    '{"a":"\\u12"}',
    'nul',
    '\0',
  ],
  ...['{}\0', '{"a":1}{"b":2}', '<a/>', 'a=b', '--boundary', '['.repeat(90), '{"a":'.repeat(90)],
  ...[Buffer.from([0xff]), Buffer.from('{"a":"\xff"}', 'latin1'), Buffer.from('{}', 'utf16le')],
  ...[Buffer.from([0xc0, 0xae]), Buffer.from([0xed, 0xa0, 0x80]), gzipSync('{}')],
];

/** JSON without a valid list. `$` stands for the name of the list. */
const ODD = [
  ...['null', 'true', '1', '-0', '1e400', '"x"', '""', '[]', '{}', '[{}]', '{"":1}', '\ufeff{}'],
  ...['{"$":null}', '{"$":1}', '{"$":"x"}', '{"$":{}}', '{"$":[]}', '{"$":[null]}', '{"$":[1]}'],
  ...['{"$":[[]]}', '{"$":["x"]}', '{"$":[{}]}', '{"$":{"length":1,"0":{}}}', '{"$":{"0":{}}}'],
  ...[
    '{"__proto__":{"$":[{}]}}',
    '{"__proto__":null}',
    '{"constructor":{"prototype":{"polluted":1}}}',
  ],
  ...['{"$":[{"__proto__":{"polluted":1,"key":"a","id":"a"}}]}', '{"$":{"__proto__":[]}}'],
  ...['{"$":[{"key":{"toString":"a"}}]}', '{"$":[{"partNumber":1e400,"eTag":"x"}]}'],
  ...['{"$":[{"partNumber":"1","eTag":"x"}]}', '{"$":[{"partNumber":1,"eTag":["x"]}]}'],
  ...['{"$":[{"key":["a"]}]}', '{"$":[{"key":1}]}', '{"$":[{"grantee":{"id":"a"}}]}'],
  ...[deep(9000), `{"$":${deep(4000)}}`, `{"$":[{"key":${deep(4000)}}]}`],
  `{"$":[${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}]}`,
];

async function proveRefused(t: ExecutionContext, carrier: 'koa' | 'express5') {
  const on = await stage(t, carrier, false);
  const { send, storage } = on;
  const uploadId = await prepare(storage);
  const keys = async () => (await storage.listObjects({ bucket: 'bucket' })).contents;
  const before = await keys();
  for (const [name, method, path, list, limit] of operations(uploadId)) {
    for (const body of BROKEN) {
      const answer = await send(method, path, { body });
      t.is(codeOf(answer), 'MalformedJSON', `${name}: ${body.slice(0, 40)}`);
    }
    for (const odd of ODD) {
      const body = odd.replaceAll('$', list);
      const answer = await send(method, path, { body });
      // An empty list of grants is valid: only the owner has access.
      if (answer.status === 200) {
        t.true(list === 'accessControlList' && body === `{"${list}":[]}`, `${name}: ${body}`);
        continue;
      }
      const codes = ['InappropriateJSON', 'InvalidArgument', 'MalformedJSON'];
      t.true(codes.includes(codeOf(answer)), `${name}: ${body.slice(0, 60)}: ${answer.body}`);
    }
    // Fills the limit exactly with deep, long or broad JSON. One more byte is too much.
    const fill = (text: string) => `${text}${' '.repeat(limit - text.length)}`;
    const half = Math.floor(limit / 2) - 10;
    for (const body of [
      deep(half),
      `{"${list}":${deep(half - 20)}}`,
      `${'{"a":'.repeat(half / 5)}`,
    ]) {
      const answer = await send(method, path, { body: fill(body) });
      t.true(['InappropriateJSON', 'MalformedJSON'].includes(codeOf(answer)), name);
    }
    const broad = `{"${list}":[${'{},'.repeat(limit / 3 - 20)}{}]}`;
    const refused = ['InappropriateJSON', 'InvalidArgument'];
    t.true(refused.includes(codeOf(await send(method, path, { body: fill(broad) }))), name);
    const names = Array.from({ length: limit / 16 }, (_, at) => `"a${at}":""`).join();
    t.true(refused.includes(codeOf(await send(method, path, { body: `{${names}}` }))), name);
    const tooLarge = ['MaxMessageLengthExceeded', 'EntityTooLarge'];
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const answer = await send(method, path, { headers, body: `${fill('{}')} ` });
      t.true(tooLarge.includes(codeOf(answer)), `${name}: ${answer.body}`);
    }
  }
  t.deepEqual(await keys(), before);
  const acl = await send('GET', '/bucket?acl');
  t.true(acl.body.includes('"accessControlList":['));
  await on.seal();
}

for (const [name, carrier] of IN_MEMORY) {
  test(`${name}: no JSON breaks an operation: it is rejected, and changes nothing`, (t) =>
    proveRefused(t, carrier));
}

test('a structure with thousands of fields is rejected before they are compared with the known ones', async (t) => {
  const on = await stage(t, 'koa', false);
  await prepare(on.storage);
  const fields = (count: number) => Array.from({ length: count }, (_, at) => `"a${at}":""`).join();
  const put = (count: number) => {
    const rule = `{"status":"enabled","resource":["bucket/"],"condition":{},${fields(count)},
      "action":{"name":"DeleteObject"}}`;
    return on.send('PUT', '/bucket?lifecycle', { body: `{"rule":[${rule}]}` });
  };
  const refused = await put(50_000);
  t.is(codeOf(refused), 'InappropriateJSON');
  t.regex(String(refused.body), /rule\[0\] has 50004 fields\. It may have at most 50\./);
  // A newer version of the interface adds only a few fields.
  t.is((await put(40)).status, 200);
  await on.seal();
});

test('the last of repeated names is used, and an own __proto__ is ignored', async (t) => {
  const on = await stage(t, 'koa', false);
  await prepare(on.storage);
  const body =
    '{"objects":[{"key":"a"}],"__proto__":{"objects":[]},"objects":[{"key":"b","__proto__":{"key":"a"}}]}';
  t.is((await on.send('POST', '/bucket?delete', { body })).status, 200);
  t.is((await on.send('HEAD', '/bucket/a')).status, 200);
  t.is((await on.send('HEAD', '/bucket/b')).status, 404);
  await on.seal();
});

test('text that is not valid Unicode is rejected in every list, on disk and in memory', async (t) => {
  for (const onDisk of [false, true]) {
    const on = await stage(t, 'koa', onDisk);
    await prepare(on.storage);
    const rule = (id: string, resource: string) =>
      `{"rule":[{"id":"${id}","status":"enabled","resource":["${resource}"],"condition":{},` +
      '"action":{"name":"DeleteObject"}}]}';
    const grant = (id: string, about: string) =>
      `{"accessControlList":[{"grantee":[{"id":"${id}"}],"permission":["READ"],${about}}]}`;
    const rows = [
      ['/bucket?lifecycle', rule('\\ud800', 'bucket/a/*')],
      ['/bucket?lifecycle', rule('a', 'bucket/\\udc00/*')],
      ['/bucket?acl', grant('\\ud800', '"resource":["bucket/*"]')],
      ['/bucket?acl', grant('a', '"resource":["bucket/\\ud800*"]')],
      ['/bucket/a?acl', grant('a', '"notResource":["bucket/\\ud800*"]')],
    ] as const;
    for (const [path, body] of rows) {
      const answer = await on.send('PUT', path, { body });
      t.true(['InappropriateJSON', 'InvalidArgument'].includes(codeOf(answer)), `${path}: ${body}`);
    }
    t.is((await on.send('GET', '/bucket?lifecycle')).status, 404);
    await on.seal();
  }
});

test('JSON that arrives byte by byte takes only the memory of its bytes', async (t) => {
  const size = 2 << 20;
  const slab = Buffer.alloc(size, ' ');
  let peak = 0;
  const heap = () => process.memoryUsage().heapUsed;
  const before = heap();
  async function* body() {
    for (let at = 0; at < size; at++) {
      yield slab.subarray(at, at + 1);
      if (at % 65_536 === 0) peak = Math.max(peak, heap() - before);
    }
  }
  const limited = core.jsonBody.jsonBody({ maxBytes: size, tooLarge: 'EntityTooLarge' });
  type Request = Parameters<typeof limited.read>[0];
  const request = { parsed: undefined, chunks: body } as unknown as Request;
  await t.throwsAsync(limited.read(request, jsonTerms), { name: 'StorageError' });
  // As a list of chunks, they would take more than 200 MB.
  t.true(peak < 100e6, `${peak} bytes`);
});

test('JSON in chunks of one byte is read like any other', async (t) => {
  const on = await stage(t, 'koa', false);
  await prepare(on.storage);
  const socket = await dial(on.origin);
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  const head =
    'POST /bucket?delete HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice\r\nConnection: close\r\n';
  const json = `{"objects":[{"key":"a"}]}${' '.repeat(20_000)}`;
  const chunks = Array.from(json, (byte) => `1\r\n${byte}\r\n`).join('');
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
  await new Promise((resolve) => socket.once('close', resolve));
  t.is(parseAnswer('POST', Buffer.concat(received)).status, 200);
  t.is((await on.send('HEAD', '/bucket/a')).status, 404);
  await on.seal();
});

test('JSON with more values than an operation can use is rejected before it is parsed', async (t) => {
  const on = await stage(t, 'koa', false);
  const uploadId = await prepare(on.storage);
  const answers: Promise<unknown>[] = [];
  for (const [name, method, path, list, limit] of operations(uploadId)) {
    if (limit < 1 << 20) continue; // So few values are parsed at once.
    const bodies = [
      ['[],', 1],
      [`${deep(90)},`, 1],
      ['"":0,', 0],
      ['{"":0},', 1],
    ] as const;
    for (const [item, listed] of name.startsWith('Delete') ? bodies : bodies.slice(-1)) {
      const count = Math.floor((limit - 100) / item.length);
      const inner = item.repeat(count).slice(0, -1);
      // The rest is not JSON, so parsing it would result in MalformedJSON.
      const body = listed ? `{"${list}":[${inner}]}!` : `{${inner}}!`;
      const refused = async () => codeOf(await on.send(method, path, { body }));
      answers.push(refused().then((code) => t.is(code, 'InappropriateJSON', `${name}: ${item}`)));
    }
    // Nothing in a string is counted.
    const text = `{"x":"${'[{,:\\"'.repeat(limit / 8 - 20)}"}!`;
    t.is(codeOf(await on.send(method, path, { body: text })), 'MalformedJSON', name);
  }
  await Promise.all(answers);
  // The maximum that is allowed.
  const objects = Array.from({ length: 1000 }, (_, at) => ({ key: `absent ${at}`, versionId: '' }));
  const extra = { size: 1, etag: 'x', when: { at: [1, 2] }, mode: null };
  const rows = [
    ['POST', '/bucket?delete', { objects: objects.map((one) => ({ ...one, note: extra })) }, 200],
    ['PUT', '/bucket?lifecycle', lifecycleOf(Array(10_000).fill('bucket/')), 200],
    ['PUT', '/bucket?lifecycle', lifecycleOf(['bucket/'], 1000), 200],
  ] as const;
  for (const [method, path, value, status] of rows) {
    const answer = await on.send(method, path, { body: JSON.stringify(value) });
    t.is(answer.status, status);
  }
  await on.seal();
});

const lifecycleOf = (resource: readonly string[], rules = 1) => ({
  rule: Array.from({ length: rules }, (_, at) => ({
    ...{ id: `rule ${at}`, status: 'enabled', resource, condition: {} },
    action: { name: 'DeleteObject' },
  })),
});
