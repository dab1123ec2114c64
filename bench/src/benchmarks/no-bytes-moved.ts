import { type ObjectStorage, openStorage } from '@bucketware/storage';
import { milliseconds, type Row } from '../report.js';
import { median } from '../rounds.js';
import { withDirectory } from '../servers.js';
import { sizes } from '../sizes.js';

const bucket = 'bench';
const { copyBytes, parts, partCopyBytes, steps } = sizes;
const PART = 100 * 1024;

/** What names bytes instead of moving them: complete, copy, append, and the largest object. */
export async function* noBytesMoved(): AsyncGenerator<Row> {
  const rows = await withDirectory(async (directory) => {
    const storage = await openStorage({ directory, sweepEvery: false });
    try {
      await storage.putBucket({ bucket });
      return [
        await complete(storage),
        await copy(storage),
        await append(storage),
        ...(await largest(storage)),
      ];
    } finally {
      await storage.close();
    }
  });
  yield* rows;
}

async function complete(storage: ObjectStorage): Promise<Row> {
  const body = Buffer.alloc(PART, 'p');
  const target = { bucket, key: 'parts' };
  const time = await completed(storage, target, (upload, partNumber) =>
    storage.uploadPart({ ...upload, partNumber, body }),
  );
  return {
    benchmark: 'no-bytes-moved',
    what: `CompleteMultipartUpload of ${parts} parts`,
    ours: milliseconds(time),
    against: '',
    target: '< 1000 ms',
    met: time < 1000,
  };
}

async function copy(storage: ObjectStorage): Promise<Row> {
  await storage.putObject({ bucket, key: 'small', body: Buffer.alloc(1024) });
  await storage.putObject({ bucket, key: 'large', body: zeros(copyBytes) });
  const of = (key: string, copy: string) =>
    storage.copyObject({ bucket, key: copy, source: { bucket, key } });
  return paired(
    `CopyObject of ${copyBytes / 2 ** 20} MiB`,
    () => of('large', 'large-copy'),
    () => of('small', 'small-copy'),
    3,
  );
}

async function append(storage: ObjectStorage): Promise<Row> {
  const body = Buffer.alloc(1024);
  const sizesOf = new Map<string, number>();
  for (const [key, size] of [['log', 1024] as const, ['large-log', copyBytes] as const]) {
    await storage.appendObject({ bucket, key, body: zeros(size) });
    sizesOf.set(key, size);
  }
  const to = async (key: string): Promise<void> => {
    const { size } = await storage.appendObject({ bucket, key, body, offset: sizesOf.get(key) });
    sizesOf.set(key, size);
  };
  return paired(
    `AppendObject of 1 KiB to ${copyBytes / 2 ** 20} MiB`,
    () => to('large-log'),
    () => to('log'),
    1.5,
  );
}

/** 10,000 copies of a 5 GB object: 48.8 TB, on a disk that holds one of them. */
async function largest(storage: ObjectStorage): Promise<Row[]> {
  await storage.putObject({ bucket, key: 'source', body: zeros(partCopyBytes) });
  const source = { bucket, key: 'source' };
  const target = { bucket, key: 'largest' };
  const time = await completed(storage, target, (upload, partNumber) =>
    storage.uploadPartCopy({ ...upload, partNumber, source }),
  );
  const { size } = await storage.getObjectMeta(target);
  const ranges = await timesOf(steps, async () => {
    const start = Math.floor(Math.random() * (size - 10));
    const range = `bytes=${start}-${start + 9}`;
    const bytes = await (await storage.getObject({ ...target, range })).bytes();
    if (bytes.length !== 10 || bytes.some((byte) => byte !== 0)) throw new Error('Wrong bytes.');
  });
  const what = `${(size / 1e12).toFixed(1)}e12 bytes of ${parts} whole-object part copies`;
  const row = { benchmark: 'no-bytes-moved', against: '', target: '' };
  return [
    { ...row, what: `complete ${what}`, ours: milliseconds(time) },
    { ...row, what: 'ten bytes from anywhere in it', ours: milliseconds(median(ranges)) },
  ];
}

type Upload = { readonly bucket: string; readonly key: string; readonly uploadId: string };

/** Fills an upload, and returns the milliseconds that its completion took. */
async function completed(
  storage: ObjectStorage,
  target: { readonly bucket: string; readonly key: string },
  fill: (upload: Upload, partNumber: number) => Promise<{ readonly etag: string }>,
): Promise<number> {
  const { uploadId } = await storage.initiateMultipartUpload(target);
  const upload = { ...target, uploadId };
  const listed: { partNumber: number; eTag: string }[] = [];
  const numbers = Array.from({ length: parts }, (_, index) => index + 1).values();
  const worker = async (): Promise<void> => {
    for (const partNumber of numbers) {
      const { etag: eTag } = await fill(upload, partNumber);
      listed.push({ partNumber, eTag });
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  listed.sort((a, b) => a.partNumber - b.partNumber);
  const start = performance.now();
  await storage.completeMultipartUpload({ ...upload, parts: listed });
  return performance.now() - start;
}

async function paired(
  what: string,
  ours: () => Promise<unknown>,
  small: () => Promise<unknown>,
  target: number,
): Promise<Row> {
  const pairs: [number, number][] = [];
  for (let step = 0; step <= steps; step++) {
    const pair: [number, number] = [await timeOf(ours), await timeOf(small)];
    if (step > 0) pairs.push(pair);
  }
  const mine = median(pairs.map(([time]) => time));
  const others = median(pairs.map(([, time]) => time));
  return {
    benchmark: 'no-bytes-moved',
    what,
    ours: milliseconds(mine),
    against: `${milliseconds(others)} with 1 KiB`,
    ratio: mine / others,
    target: `<= ${target}`,
    met: mine / others <= target,
  };
}

async function timesOf(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at++) times.push(await timeOf(work));
  return times;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function* zeros(size: number): AsyncGenerator<Uint8Array> {
  const chunk = Buffer.alloc(2 ** 20);
  for (let left = size; left > 0; left -= chunk.length) yield chunk.subarray(0, left);
}
