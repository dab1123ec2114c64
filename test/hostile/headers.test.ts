import test from 'ava';
import { operations } from './core.js';
import { prepare, requestsOf } from './requests.js';
import { codeOf, headerOf } from './scan.js';
import { IN_MEMORY, ON_DISK, stage } from './stage.js';

/** Headers that are stored and returned. */
const SINKS = [
  ...['x-svc-meta-a', 'content-type', 'content-encoding', 'content-language'],
  ...['content-disposition', 'cache-control', 'expires'],
];
const OVERRIDES = [
  ...['ContentType', 'ContentEncoding', 'ContentLanguage', 'ContentDisposition'],
  ...['CacheControl', 'Expires'],
];

/**
 * Whether a header may contain the character. Those that end a line are not allowed, but a tab is.
 */
const isSendable = (code: number): boolean => (code >= 32 && code !== 127) || code === 9;

for (const [name, carrier, onDisk] of ON_DISK) {
  test(`${name}: each of the 256 bytes in each stored header is rejected, or returned unchanged`, async (t) => {
    const on = await stage(t, carrier, onDisk);
    for (let code = 0; code < 256; code++) {
      const value = `a${String.fromCharCode(code)}X-Evil: 1`;
      const lines = SINKS.map((sink) => `${sink}: ${value}`);
      const put = await on.write('PUT', '/bucket/key', [...lines, 'Content-Length: 1'], 'x');
      if (!isSendable(code)) {
        t.true(put.status === 400, `byte ${code}: ${put.status}`);
        continue;
      }
      t.is(put.status, 200, `byte ${code}`);
      for (const method of ['GET', 'HEAD']) {
        const answer = await on.write(method, '/bucket/key', []);
        for (const sink of SINKS) t.is(headerOf(answer, sink), value, `byte ${code} in ${sink}`);
      }
    }
    // A program gets the same errors, although no HTTP parser checks its values first.
    for (const code of [0, 10, 13, 127, 0x1b]) {
      const value = `a${String.fromCharCode(code)}b`;
      const object = { bucket: 'bucket', key: 'program', body: '' };
      for (const given of [
        { metadata: { a: value } },
        { contentType: value },
        { expires: value },
      ]) {
        await t.throwsAsync(on.storage.putObject({ ...object, ...given }), {
          name: 'StorageError',
        });
      }
    }
    await on.seal();
  });

  test(`${name}: no character of an override splits the response`, async (t) => {
    const on = await stage(t, carrier, onDisk);
    await on.storage.putObject({ bucket: 'bucket', key: 'key', body: 'x' });
    // Includes characters whose last byte is CR or LF, because 16-bit text may be truncated to 8
    // bits.
    const cut = [0x010a, 0x010d, 0x0a0d, 0x0d0a, 0x560a, 0x560d, 0x2028, 0x2029, 0x85, 0x1f60d];
    for (const code of [...Array(0x100).keys(), ...cut]) {
      const value = `private, a${String.fromCodePoint(code)}X-Evil: 1`;
      const query = OVERRIDES.map((header) => `response${header}=${encodeURIComponent(value)}`);
      const answer = await on.send('GET', `/bucket/key?${query.join('&')}`);
      if (!isSendable(code)) {
        t.is(codeOf(answer), 'InvalidArgument');
        continue;
      }
      t.is(answer.status, 200);
      for (const sink of SINKS.slice(1)) {
        const expected = value;
        t.is(Buffer.from(headerOf(answer, sink) ?? '', 'latin1').toString(), expected);
      }
    }
    await on.seal();
  });
}

/** Names of headers that the service, its host, a proxy or a browser trusts. */
const INTERNAL = [
  ...['x-svc-request-id', 'x-svc-object-type', 'x-svc-next-append-offset', 'x-svc-owner'],
  ...['x-svc-principal', 'x-svc-tenant', 'x-svc-internal', 'x-svc-replication', 'x-amz-meta-a'],
  ...['etag', 'last-modified', 'accept-ranges', 'content-range', 'location', 'set-cookie', 'vary'],
  ...['content-security-policy', 'x-content-type-options', 'access-control-allow-origin'],
  ...['strict-transport-security', 'refresh', 'x-evil-header', 'server', 'x-accel-redirect'],
  ...['x-sendfile', 'link', 'x-http-method-override', '__proto__', 'constructor', 'tostring'],
];
const capitals = [
  (name: string) => name,
  (name: string) => name.toUpperCase(),
  (name: string) => name.replace(/(^|-)\w/g, (start) => start.toUpperCase()),
];

for (const [name, carrier, onDisk] of IN_MEMORY) {
  test(`${name}: no header or metadata of a client replaces one of the service`, async (t) => {
    const on = await stage(t, carrier, onDisk);
    for (const [at, header] of INTERNAL.entries()) {
      for (const spelled of capitals.map((spell) => spell(header))) {
        const lines = [`x-svc-meta-${spelled}: forged`, 'Content-Length: 1'];
        const own = [`${spelled}: forged`, ...lines];
        const refused = await on.write('PUT', `/bucket/${at}`, own, 'x');
        t.true([200, 400, 501].includes(refused.status), `${spelled}: ${refused.body}`);
        const put = await on.write('PUT', `/bucket/${at}`, lines, 'x');
        t.is(put.status, 200, `${spelled}: ${put.body}`);
        const answer = await on.write('GET', `/bucket/${at}`, []);
        t.not(headerOf(answer, header), 'forged', spelled);
        t.is(headerOf(answer, `x-svc-meta-${header}`), 'forged', spelled);
        const forged = answer.rawHeaders.filter((text) => text === 'forged');
        t.is(forged.length, 1, spelled);
      }
    }
    const { metadata } = await on.storage.getObjectMeta({ bucket: 'bucket', key: '0' });
    t.is(Object.getPrototypeOf(metadata), Object.prototype);
    await on.seal();
  });

  test(`${name}: a header that an operation reads is rejected if it is repeated, even after 1,000 others`, async (t) => {
    const on = await stage(t, carrier, onDisk, { authorize: () => true });
    const uploadId = await prepare(on.storage);
    const before = await on.storage.listObjects({ bucket: 'bucket' });
    let refused = 0;
    for (const { name: operation, input } of operations) {
      const [request] = requestsOf(uploadId)[operation] ?? [];
      if (request === undefined) throw new Error(`There is no request of ${operation}.`);
      const own = Object.entries(request.headers ?? {});
      for (const header of headersRead(input)) {
        // A list has the same meaning on one line as on two.
        if (header === 'if-match' || header === 'if-none-match') continue;
        const given = own.find(([known]) => known === header)?.[1] ?? 'x';
        const others = own
          .filter(([known]) => known !== header)
          .map(([key, value]) => `${key}: ${value}`);
        const framed = [...others, `Content-Length: ${request.body?.length ?? 0}`];
        const { method, path, body } = request;
        const twice = [...framed, `${header}: ${given}`, `${header.toUpperCase()}: ${given}`];
        const doubled = await on.write(method, path, twice, body);
        t.is(doubled.status, 400, `${operation} with two ${header}`);
        if (method !== 'HEAD')
          t.is(codeOf(doubled), 'InvalidHTTPRequest', `${operation}: ${header}`);
        const many = Array.from({ length: 1000 }, () => 'a:');
        const hidden = await on.write(
          method,
          path,
          [...framed, ...many, `${header}: ${given}`],
          body,
        );
        // Since Node 24, Node itself responds with 431.
        t.true(
          [400, 431].includes(hidden.status),
          `${operation} with ${header} behind 1,000 others`,
        );
        refused++;
      }
    }
    t.true(refused > 80, `${refused} headers`);
    t.deepEqual(await on.storage.listObjects({ bucket: 'bucket' }), before);
    await on.seal();
  });
}

test('two spellings of one condition must not contradict each other', async (t) => {
  const on = await stage(t, 'koa', false);
  await prepare(on.storage);
  const spellings = ['modified', 'modifed', 'unmodified', 'unmodifed'];
  for (const [one, other] of [spellings.slice(0, 2), spellings.slice(2)] as [string, string][]) {
    const [past, future] = ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 2095 08:49:37 GMT'];
    const copy = (first: string, second: string) => ({
      'x-svc-copy-source': '/bucket/b',
      'content-length': 0,
      [`x-svc-copy-source-if-${one}-since`]: first,
      [`x-svc-copy-source-if-${other}-since`]: second,
    });
    const differ = await on.send('PUT', '/bucket/copy', { headers: copy(past, future) });
    t.is(codeOf(differ), 'InvalidHTTPRequest');
    const same = one === 'modified' ? past : future;
    t.is((await on.send('PUT', '/bucket/copy', { headers: copy(same, same) })).status, 200);
  }
  await on.seal();
});

test('a user id in a header is the same text as in JSON', async (t) => {
  const on = await stage(t, 'koa', false);
  const id = 'u-\u00e9\u{1f60d}';
  const line = `x-svc-grant-read: id="${Buffer.from(id).toString('latin1')}"`;
  t.is((await on.write('PUT', '/bucket/a', [line, 'Content-Length: 1'], 'x')).status, 200);
  const { accessControlList } = await on.storage.getObjectAcl({ bucket: 'bucket', key: 'a' });
  t.deepEqual(accessControlList[0]?.grantee, [{ id }]);
  const broken = ['x-svc-grant-read: id="u-\xe9"', 'Content-Length: 1'];
  t.is(codeOf(await on.write('PUT', '/bucket/b', broken, 'x')), 'InvalidArgument');
  await on.seal();
});

/** The headers that an operation reads. */
function headersRead(input: (typeof operations)[number]['input']): Set<string> {
  const names = new Set<string>();
  const headers = {
    get: (header: string) => void names.add(header),
    has: () => false,
    names: () => ['x-svc-meta-a'].values(),
  };
  const query = { get: () => undefined, has: () => false, names: () => [].values() };
  for (const field of Object.values(input)) {
    try {
      field.read({ query, headers, body: {} });
    } catch {
      // It does not matter here if the input is missing.
    }
  }
  return names;
}
