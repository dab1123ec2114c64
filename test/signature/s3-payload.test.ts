import test from 'ava';
import fc from 'fast-check';
import {
  hmac,
  inPieces,
  NOW,
  open,
  readAll,
  refused,
  requestOf,
  SIGNER,
  sha256,
  verifier,
} from './fixtures.js';
import { arrived, smithy, smithyRequest } from './oracles.js';

const EMPTY = sha256('');
const SCOPE = '20130524/us-east-1/s3/aws4_request';
const key = ['us-east-1', 's3', 'aws4_request'].reduce(
  hmac,
  hmac(`AWS4${SIGNER.secret}`, '20130524'),
);
const place = `20130524T000000Z\n${SCOPE}`;

const chunkSignature = (previous: string, data: Uint8Array): string =>
  hmac(key, `AWS4-HMAC-SHA256-PAYLOAD\n${place}\n${previous}\n${EMPTY}\n${sha256(data)}`).toString(
    'hex',
  );

const trailerSignature = (previous: string, text: string): string =>
  hmac(key, `AWS4-HMAC-SHA256-TRAILER\n${place}\n${previous}\n${sha256(text)}`).toString('hex');

/** A body in signed chunks, in the format that AWS documents. */
function signedBody(seed: string, chunks: readonly Uint8Array[], trailer = ''): Buffer {
  let previous = seed;
  const parts: (string | Uint8Array)[] = [];
  for (const chunk of [...chunks, Buffer.alloc(0)]) {
    previous = chunkSignature(previous, chunk);
    parts.push(`${chunk.length.toString(16)};chunk-signature=${previous}\r\n`, chunk);
    if (chunk.length > 0) parts.push('\r\n');
  }
  if (trailer !== '') {
    const signature = trailerSignature(previous, trailer);
    parts.push(trailer.replaceAll('\n', '\r\n'), `x-amz-trailer-signature:${signature}\r\n`);
  }
  return Buffer.concat([...parts, '\r\n'].map((part) => Buffer.from(part as never)));
}

const unsignedBody = (chunks: readonly Uint8Array[], trailer: string): Buffer =>
  Buffer.concat([
    ...chunks.map((chunk) =>
      Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
    ),
    Buffer.from(`0\r\n${trailer}\r\n`),
  ]);

const SIGNED = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
const SIGNED_TRAILER = `${SIGNED}-TRAILER`;
const UNSIGNED_TRAILER = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';

const requests = new Map<string, ReturnType<typeof arrived>>();

async function streaming(mode: string, size: number | string, others: object = {}) {
  const headers = {
    'x-amz-content-sha256': mode,
    'x-amz-decoded-content-length': `${size}`,
    ...others,
  };
  const wanted = smithyRequest({ method: 'PUT', path: '/s3/b/k', headers });
  const name = JSON.stringify(headers);
  const request =
    requests.get(name) ?? arrived(await smithy().sign(wanted, { signingDate: new Date(NOW) }));
  requests.set(name, request);
  const verified = await verifier.verify(request);
  const seed = /Signature=(\w+)/.exec(request.rawHeaders.join())?.[1] as string;
  return { verified, seed };
}

test('the example of AWS: signed chunks', async (t) => {
  const request = requestOf('PUT', 'https://s3.amazonaws.com/examplebucket/chunkObject.txt', {
    'x-amz-date': '20130524T000000Z',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    authorization: `AWS4-HMAC-SHA256 Credential=${SIGNER.accessKey}/${SCOPE},SignedHeaders=content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class,Signature=4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9`,
    'x-amz-content-sha256': SIGNED,
    'content-encoding': 'aws-chunked',
    'x-amz-decoded-content-length': '66560',
    'content-length': '66824',
  });
  const verified = await verifier.verify(request);
  t.is(verified.payload.size, 66_560);
  const body = Buffer.from(
    [
      '10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
      'a'.repeat(65_536),
      '400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
      'a'.repeat(1024),
      '0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
      '\r\n',
    ].join('\r\n'),
  );
  t.is(body.length, 66_824);
  t.is(sha256(await open(verified, body, [7, 100, 65_536])), sha256('a'.repeat(66_560)));
});

test('the example of AWS: signed chunks with a trailer', async (t) => {
  const request = requestOf('PUT', 'https://s3.amazonaws.com/examplebucket/chunkObject.txt', {
    'x-amz-date': '20130524T000000Z',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    authorization: `AWS4-HMAC-SHA256 Credential=${SIGNER.accessKey}/${SCOPE},SignedHeaders=content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class;x-amz-trailer,Signature=106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e`,
    'x-amz-content-sha256': SIGNED_TRAILER,
    'content-encoding': 'aws-chunked',
    'x-amz-decoded-content-length': '66560',
    'x-amz-trailer': 'x-amz-checksum-crc32c',
  });
  const verified = await verifier.verify(request);
  const body = Buffer.from(
    [
      '10000;chunk-signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
      'a'.repeat(65_536),
      '400;chunk-signature=1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
      'a'.repeat(1024),
      '0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
      'x-amz-checksum-crc32c:sOO8/Q==',
      'x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435',
      '\r\n',
    ].join('\r\n'),
  );
  t.is((await open(verified, body)).length, 66_560);
  t.deepEqual([...verified.payload.trailers], [['x-amz-checksum-crc32c', 'sOO8/Q==']]);
});

const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 6 });
const cuts = fc.array(fc.nat(200), { maxLength: 12 });
const TRAILER = 'x-amz-checksum-crc32:AAAAAA==\n';
const announced = { 'x-amz-trailer': 'x-amz-checksum-crc32' };

test('bodies in chunks are decoded, however they are split', async (t) => {
  await fc.assert(
    fc.asyncProperty(chunks, cuts, async (data, sizes) => {
      const whole = Buffer.concat(data);
      const plain = await streaming(SIGNED, whole.length);
      t.true(whole.equals(await open(plain.verified, signedBody(plain.seed, data), sizes)));
      const signed = await streaming(SIGNED_TRAILER, whole.length, announced);
      const body = signedBody(signed.seed, data, TRAILER);
      t.true(whole.equals(await open(signed.verified, body, sizes)));
      const { verified } = await streaming(UNSIGNED_TRAILER, whole.length, announced);
      const unsigned = unsignedBody(data, TRAILER.replace('\n', '\r\n'));
      t.true(whole.equals(verified.payload.decode(unsigned)));
      t.is(verified.payload.trailers.get('x-amz-checksum-crc32'), 'AAAAAA==');
    }),
    { numRuns: 60 },
  );
});

test('a changed byte anywhere in a signed body is detected, and so is each truncation', async (t) => {
  const data = [Buffer.from('first chunk'), Buffer.from('second')];
  const size = Buffer.concat(data).length;
  for (const [mode, others, trailer] of [
    [SIGNED, {}, ''],
    [SIGNED_TRAILER, announced, TRAILER],
  ] as const) {
    const { seed } = await streaming(mode, size, others);
    const body = signedBody(seed, data, trailer);
    // The empty line at the end has no meaning.
    const end = body.length - 4;
    for (let at = 0; at < end; at++) {
      const altered = Buffer.from(body);
      altered[at] = (altered[at] as number) ^ 1;
      const { verified } = await streaming(mode, size, others);
      await t.throwsAsync(open(verified, altered), { name: 'SignatureError' }, `byte ${at}`);
      const { verified: cut } = await streaming(mode, size, others);
      await t.throwsAsync(open(cut, body.subarray(0, at)), { name: 'SignatureError' }, `end ${at}`);
    }
  }
});

test('chunks that are longer or shorter than announced, or missing, are rejected', async (t) => {
  const data = [Buffer.from('abc')];
  const body = unsignedBody(data, TRAILER.replace('\n', '\r\n'));
  const cases: readonly [string, number, string][] = [
    ['IncompleteBody', 2, `${body}`],
    ['IncompleteBody', 4, `${body}`],
    ['IncompleteBody', 3, 'abc'],
    ['IncompleteBody', 3, `${body}`.replaceAll('\r', '')],
    ['IncompleteBody', 3, `${body}`.replace('3\r\n', '3;x=y\r\n')],
    ['IncompleteBody', 3, `${body}`.replace('3\r\n', '-3\r\n')],
    ['IncompleteBody', 3, `${body}`.replace('3\r\n', '0x3\r\n')],
    ['IncompleteBody', 3, `${body}`.replace('3\r\n', 'ffffffffffffffff\r\n')],
    ['IncompleteBody', 3, '0'.repeat(300)],
    ['IncompleteBody', 3, `${body}${'\r\n'.repeat(5000)}`],
    ['IncompleteBody', 3, `${body}`.replace('abc\r\n', 'abcd\r\n')],
    ['IncompleteBody', 3, ''],
    ['MalformedTrailerError', 3, `${body}`.replace(/x-amz.*/, '')],
    ['MalformedTrailerError', 3, `${body}`.replace('crc32', 'sha256')],
    ['MalformedTrailerError', 3, `${body}`.replace('x-amz', 'x-amz-acl: private\r\nx-amz')],
    ['MalformedTrailerError', 3, `${body}${body.toString().slice(body.indexOf('x-amz'))}`],
    ['MalformedTrailerError', 3, `${body}0\r\n\r\n`],
    ['MalformedTrailerError', 3, `${body}`.trimEnd()],
    ['MalformedTrailerError', 3, `${body}x-amz-trailer-signature:${EMPTY}\r\n`],
  ];
  for (const [code, size, text] of cases) {
    const { verified } = await streaming(UNSIGNED_TRAILER, size, announced);
    await refused(
      t,
      code,
      () => open(verified, Buffer.from(text)),
      JSON.stringify(text.slice(0, 60)),
    );
  }
});

test('small chunks are joined, and too many of them are rejected', async (t) => {
  const bytes = (count: number, size = 1) =>
    Array.from({ length: count }, () => Buffer.alloc(size, 'a'));
  const pieces = async (mode: string, chunks: readonly Uint8Array[]) => {
    const { verified, seed } = await streaming(mode, Buffer.concat(chunks).length);
    const body = mode === SIGNED ? signedBody(seed, chunks) : unsignedBody(chunks, '');
    const found: Uint8Array[] = [];
    for await (const piece of verified.payload.open(inPieces(body, []))) found.push(piece);
    t.true(Buffer.concat(chunks).equals(Buffer.concat(found)));
    return found.length;
  };
  for (const mode of [SIGNED, UNSIGNED_TRAILER]) {
    t.is(await pieces(mode, bytes(999)), 1, mode);
    t.is(await pieces(mode, bytes(3)), 3, mode);
    t.is(await pieces(mode, [...bytes(999), ...bytes(1001, 256)]), 1, mode);
    await refused(t, 'InvalidChunkSizeError', () => pieces(mode, bytes(1100)), mode);
    await refused(t, 'InvalidChunkSizeError', () => pieces(mode, bytes(3000, 128)), mode);
  }
});

test('signed and unsigned chunks are not interchangeable', async (t) => {
  const data = [Buffer.from('abc')];
  const { verified: unsigned, seed } = await streaming(UNSIGNED_TRAILER, 3, announced);
  const trailer = TRAILER.replace('\n', '\r\n');
  const signedChunks = `${signedBody(seed, data)}`.replace(/\r\n$/, `${trailer}\r\n`);
  await refused(t, 'IncompleteBody', () => open(unsigned, Buffer.from(signedChunks)));
  for (const mode of [SIGNED, SIGNED_TRAILER]) {
    const { verified } = await streaming(mode, 3, mode === SIGNED ? {} : announced);
    await refused(t, 'IncompleteBody', () => open(verified, unsignedBody(data, trailer)), mode);
  }
});

test('a trailer may have all line ends that clients use', async (t) => {
  const line = 'x-amz-checksum-crc32:AAAAAA==';
  for (const trailer of [`${line}\r\n\r\n`, `${line}\n\r\n`, `${line}\n\r\n\r\n`, `${line}\r\n`]) {
    const { verified } = await streaming(UNSIGNED_TRAILER, 1, announced);
    t.is(`${await open(verified, Buffer.from(`1\r\na\r\n0\r\n${trailer}`))}`, 'a');
    t.is(verified.payload.trailers.size, 1);
  }
});

test('a streaming body needs its size, and signed chunks a signature that starts them', async (t) => {
  const sizes = ['', '-1', '1.5', '1e3', '9'.repeat(16)];
  for (const size of sizes) {
    await refused(t, 'MissingContentLength', () => streaming(SIGNED, size), size);
  }
  await refused(t, 'InvalidRequest', () => streaming('UNSIGNED-PAYLOAD', 0, announced));
  for (const mode of [SIGNED, SIGNED_TRAILER]) {
    const anonymous = requestOf('PUT', 'http://h/b/k', {
      'x-amz-content-sha256': mode,
      'x-amz-decoded-content-length': '0',
    });
    await refused(t, 'InvalidRequest', () => verifier.verify(anonymous), mode);
  }
});

test('a body is compared with its SHA-256 before it ends', async (t) => {
  const bytes = Buffer.from('hello');
  const request = (hash: string) =>
    smithy()
      .sign(
        smithyRequest({ method: 'PUT', path: '/b/k', headers: { 'x-amz-content-sha256': hash } }),
        { signingDate: new Date(NOW) },
      )
      .then((signed) => verifier.verify(arrived(signed)));
  const good = await request(sha256(bytes));
  t.true(bytes.equals(await open(good, bytes, [1, 2])));
  const other = await request(sha256('hellp'));
  await refused(t, 'XAmzContentSHA256Mismatch', () => open(other, bytes));
  const whole = await request(sha256('hellp'));
  await refused(t, 'XAmzContentSHA256Mismatch', () => whole.payload.decode(bytes));
});

test('a body that fails fails with its own error', async (t) => {
  const { verified } = await streaming(UNSIGNED_TRAILER, 3, announced);
  const broken = async function* () {
    yield* inPieces(Buffer.from('3\r\nab'), []);
    throw new Error('the client left');
  };
  await t.throwsAsync(readAll(verified.payload.open(broken())), { message: 'the client left' });
});
