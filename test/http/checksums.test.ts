import { randomBytes } from 'node:crypto';
import type { ChecksumAlgorithm } from '@bucketware/core';
import test from 'ava';
import { bucket, fails, key, prepared, sumOf, threeParts, upload } from './checksum-fixtures.js';

const ALGORITHMS = ['crc32', 'crc32c', 'crc64', 'crc64nvme', 'sha1', 'sha256'] as const;

/** From the catalogue of CRC algorithms for the bytes `123456789`, and from FIPS 180. */
const OF_DIGITS: Readonly<Record<ChecksumAlgorithm, string>> = {
  crc32: 'cbf43926',
  crc32c: 'e3069283',
  crc64: '995dc9bbdf1939fa',
  crc64nvme: 'ae8b14860a799888',
  sha1: 'f7c3bc1d808e04732adf679965ccc34ca7ae3441',
  sha256: '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225',
};

test('each checksum equals that of other implementations, is stored, and is compared', async (t) => {
  const { storage } = await prepared();
  const body = '123456789';
  for (const algorithm of ALGORITHMS) {
    const value = OF_DIGITS[algorithm];
    const given = { bucket, key, body };
    const put = await storage.putObject({ ...given, checksum: { algorithm, value } });
    t.deepEqual(put.checksum, { algorithm, value, type: 'whole' });
    t.deepEqual((await storage.getObjectMeta({ bucket, key })).checksum, put.checksum);
    const wrong = `${value.slice(1)}0`;
    await fails(
      t,
      storage.putObject({ ...given, checksum: { algorithm, value: wrong } }),
      'BadDigest',
    );
    await fails(
      t,
      storage.putObject({ ...given, checksum: { algorithm, value: '00' } }),
      'BadDigest',
    );
  }
  const { checksum } = await storage.putObject({ bucket, key, body });
  t.deepEqual(checksum, { algorithm: 'crc32', value: OF_DIGITS.crc32, type: 'whole' });
});

for (const algorithm of ['crc32', 'crc32c', 'crc64', 'crc64nvme'] as const) {
  test(`the ${algorithm} of all data is computed from those of the parts`, async (t) => {
    const { storage } = await prepared();
    const bodies = threeParts();
    const value = await sumOf(storage, algorithm, Buffer.concat([...bodies.values()]));
    const given = await upload(storage, { bodies, algorithm, type: 'whole' });
    const wrong = { algorithm, value: '0'.repeat(value.length) };
    await fails(t, storage.completeMultipartUpload({ ...given, checksum: wrong }), 'BadDigest');
    await fails(t, storage.getObjectMeta({ bucket, key }), 'NoSuchKey');
    const checksum = { algorithm, value };
    const completed = await storage.completeMultipartUpload({ ...given, checksum });
    t.deepEqual(completed.checksum, { ...checksum, type: 'whole' });
    // A retry after a lost response is also compared.
    const again = await storage.completeMultipartUpload({ ...given, checksum });
    t.deepEqual(again, completed);
    await fails(t, storage.completeMultipartUpload({ ...given, checksum: wrong }), 'BadDigest');
    t.deepEqual((await storage.getObjectMeta({ bucket, key })).checksum, completed.checksum);
  });
}

for (const algorithm of ['crc32', 'crc32c', 'sha1', 'sha256'] as const) {
  test(`the composite ${algorithm} is computed over the checksums of the parts`, async (t) => {
    const { storage } = await prepared();
    const bodies = threeParts();
    const sums: string[] = [];
    for (const body of bodies.values()) sums.push(await sumOf(storage, algorithm, body));
    const value = `${await sumOf(storage, algorithm, Buffer.from(sums.join(''), 'hex'))}-3`;
    const given = await upload(storage, { bodies, algorithm });
    const { uploadId } = given;
    const { parts } = await storage.listParts({ bucket, key, uploadId });
    t.deepEqual(
      parts.map((part) => part.checksum),
      sums.map((sum) => ({ algorithm, value: sum })),
    );
    const listed = given.parts.map((part, at) => ({
      ...part,
      checksums: [{ algorithm, value: sums[at] as string }],
    }));
    const [first, ...others] = listed;
    const forged = [{ ...first, checksums: others[0]?.checksums }, ...others] as typeof listed;
    const complete = (more: object) => storage.completeMultipartUpload({ ...given, ...more });
    await fails(t, complete({ parts: forged }), 'InvalidPart');
    const wrong = { algorithm, value: value.replace('-3', '-2') };
    await fails(t, complete({ checksum: wrong }), 'BadDigest');
    await fails(t, complete({ checksumType: 'whole' }), 'InvalidArgument');
    await fails(t, complete({ size: 1 }), 'InvalidArgument');
    const completed = await complete({ parts: listed, checksum: { algorithm, value } });
    t.deepEqual(completed.checksum, { algorithm, value, type: 'composite' });
    const { object, parts: kept } = await storage.getObjectAttributes({ bucket, key });
    t.deepEqual(object.checksum, completed.checksum);
    t.deepEqual(
      kept?.parts.map((part) => [part.partNumber, part.checksum.value]),
      [2, 3, 10_000].map((number, at) => [number, sums[at]]),
    );
  });
}

test('an upload allows only the checksums of its algorithm, and its parts have the same ones', async (t) => {
  const { storage } = await prepared();
  const begin = (checksumAlgorithm?: ChecksumAlgorithm, checksumType?: 'whole' | 'composite') =>
    storage.initiateMultipartUpload({ bucket, key, checksumAlgorithm, checksumType });
  await fails(t, begin('sha256', 'whole'), 'InvalidArgument');
  await fails(t, begin('crc64nvme', 'composite'), 'InvalidArgument');
  await fails(t, begin(undefined, 'whole'), 'InvalidArgument');
  await fails(t, begin('md5' as 'sha1'), 'InvalidArgument');
  const { uploadId } = await begin('sha256');
  const part = { bucket, key, uploadId, partNumber: 1, body: 'x' };
  const other = storage.uploadPart({ ...part, checksum: { algorithm: 'crc32c' } });
  await fails(t, other, 'InvalidArgument');
  t.deepEqual((await storage.listParts({ bucket, key, uploadId })).parts, []);
});

test('if the upload announced no checksum, one of all data requires those of all parts', async (t) => {
  const { storage } = await prepared();
  const bodies = threeParts();
  const value = await sumOf(storage, 'crc32c', Buffer.concat([...bodies.values()]));
  const contentCrc32c = BigInt(`0x${value}`);
  const bare = await upload(storage, { bodies });
  await fails(t, storage.completeMultipartUpload({ ...bare, contentCrc32c }), 'InvalidArgument');
  const summed = await upload(storage, { bodies, sent: 'crc32c' });
  const wrong = storage.completeMultipartUpload({ ...summed, contentCrc32c: 1n });
  await fails(t, wrong, 'BadDigest');
  const { checksum } = await storage.completeMultipartUpload({ ...summed, contentCrc32c });
  t.deepEqual(checksum, { algorithm: 'crc32c', value, type: 'whole' });
  const { part } = await storage.getObjectMeta({ bucket, key, partNumber: 3 });
  t.is(part?.checksum?.algorithm, 'crc32c');
});

test('a copy has one part, with the checksum of all data or the requested one', async (t) => {
  const { storage } = await prepared();
  const source = { bucket, key };
  const copy = async (checksumAlgorithm?: ChecksumAlgorithm) =>
    (await storage.copyObject({ bucket, key: 'copy', source, checksumAlgorithm })).checksum;
  for (const body of ['123456789', Buffer.alloc(300_000, '123456789')]) {
    const { checksum } = await storage.putObject({
      ...source,
      body,
      checksum: { algorithm: 'sha1' },
    });
    t.deepEqual(await copy(), checksum);
    t.deepEqual(await copy('sha1'), checksum);
    for (const algorithm of ALGORITHMS) {
      const value = await sumOf(storage, algorithm, Buffer.from(body as string));
      t.deepEqual(await copy(algorithm), { algorithm, value, type: 'whole' });
      const { checksum: stored } = await storage.getObjectMeta({ bucket, key: 'copy' });
      t.deepEqual(stored, { algorithm, value, type: 'whole' });
    }
  }
  const bodies = threeParts();
  await storage.completeMultipartUpload(await upload(storage, { bodies, algorithm: 'sha256' }));
  t.is((await storage.getObjectMeta(source)).checksum?.type, 'composite');
  const crc32 = await sumOf(storage, 'crc32', Buffer.concat([...bodies.values()]));
  t.deepEqual(await copy(), { algorithm: 'crc32', value: crc32, type: 'whole' });
  const copied = await storage.getObjectAttributes({ bucket, key: 'copy' });
  t.is(copied.parts, undefined);

  // A copy onto itself keeps everything except its checksum.
  await storage.copyObject({ ...source, source, checksumAlgorithm: 'sha256' });
  const { object, parts } = await storage.getObjectAttributes(source);
  t.is(object.checksum?.type, 'whole');
  t.is(parts?.count, 3);
});

test('an append removes the checksum of the shorter data', async (t) => {
  const { storage } = await prepared();
  const at = { bucket, key };
  await storage.appendObject({ ...at, body: '12345' });
  await storage.copyObject({ ...at, source: at, checksumAlgorithm: 'sha1' });
  t.is((await storage.getObjectMeta(at)).checksum?.algorithm, 'sha1');
  const { checksum } = await storage.appendObject({ ...at, offset: 5, body: '6789' });
  t.deepEqual(checksum, { algorithm: 'crc32', value: OF_DIGITS.crc32, type: 'whole' });
});

test('a copied part gets the checksum of its upload, shared or read', async (t) => {
  const { storage } = await prepared();
  const source = { bucket, key: 'source' };
  const body = randomBytes(9 * 2 ** 20);
  await storage.putObject({ ...source, body, checksum: { algorithm: 'sha1' } });
  for (const algorithm of ['sha1', 'crc64nvme', 'crc32'] as const) {
    const checksumAlgorithm = algorithm;
    const { uploadId } = await storage.initiateMultipartUpload({ bucket, key, checksumAlgorithm });
    const copyOf = async (partNumber: number, range?: string) => {
      const { checksum } = await storage.uploadPartCopy({
        ...{ bucket, key, uploadId, partNumber, source, range },
      });
      return checksum?.value;
    };
    t.is(await copyOf(1), await sumOf(storage, algorithm, body));
    t.is(await copyOf(2, 'bytes=1-'), await sumOf(storage, algorithm, body.subarray(1)));
    t.is(await copyOf(3, 'bytes=5-99'), await sumOf(storage, algorithm, body.subarray(5, 100)));
    const { parts } = await storage.listParts({ bucket, key, uploadId });
    await storage.completeMultipartUpload({ bucket, key, uploadId, parts: namesOf(parts) });
    const last = await storage.getObject({ bucket, key, partNumber: 3 });
    t.deepEqual(await last.bytes(), body.subarray(5, 100));
  }
});

const namesOf = (parts: readonly { partNumber: number; etag: string }[]) =>
  parts.map(({ partNumber, etag }) => ({ partNumber, etag }));
