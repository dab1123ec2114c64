// A process that uploads a large body to the storage at `ENDPOINT`, and reports the time and
// memory.
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@bucketware/client/node';

const { ENDPOINT = '', MEBIBYTES = '1024' } = process.env;
const MIB = 1024 * 1024;
const piece = new Uint8Array(MIB).map((_, at) => (at * 2_654_435_761) >>> 24);
const size = Number(MEBIBYTES) * MIB;
const headers = { authorization: 'Bearer alice' };

export interface LargeUpload {
  readonly rawSeconds: number;
  readonly uploadSeconds: number;
  /** The maximum memory of the upload in bytes, beyond what the raw PUT needed. */
  readonly grown: number;
  readonly etag: string;
}

const storage = createClient({ endpoint: ENDPOINT, headers });
await storage.putBucket({ bucket: 'large' });

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};

/** A careful hand-written PUT. */
const rawPut = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const options = { method: 'PUT', headers: { ...headers, 'content-length': size } };
    const put = request(`${ENDPOINT}/large/raw`, options, (res) => {
      res.resume().on('end', () => (res.statusCode === 200 ? resolve() : reject(res.statusCode)));
    });
    put.on('error', reject);
    let left = size;
    const write = () => {
      while (left > 0) {
        left -= MIB;
        if (!put.write(piece)) return void put.once('drain', write);
      }
      put.end();
    };
    write();
  });

const free: Uint8Array<ArrayBuffer>[] = [];

/** A multiple of a mebibyte. All parts have the same size. */
const read = async (start: number, end: number) => {
  const bytes = free.pop() ?? new Uint8Array(end - start);
  for (let at = 0; at < bytes.length; at += MIB) bytes.set(piece, at);
  return bytes;
};
const release = (bytes: Uint8Array<ArrayBuffer>) => void free.push(bytes);
const body = { size, read, release };

const rawSeconds = await secondsOf(rawPut);
const before = process.memoryUsage().rss;
let peak = before;
let isDone = false;
const watch = (async () => {
  while (!isDone) {
    peak = Math.max(peak, process.memoryUsage().rss);
    await sleep(20);
  }
})();
let etag = '';
const uploadSeconds = await secondsOf(async () => {
  ({ etag } = await storage.upload({ bucket: 'large', key: 'parts', body }));
});
isDone = true;
await watch;
const result: LargeUpload = { rawSeconds, uploadSeconds, grown: peak - before, etag };
process.send?.(result);
