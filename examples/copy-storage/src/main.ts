/*
 * Copies a storage to another place. Each place is a config of openStorage() in JSON:
 *
 *   node dist/main.js '{"directory":"data"}' '{"directory":"copy","metadata":"sqlite:copy/records.db"}'
 *
 * Stop the app that writes to the first one. An interrupted copy continues when you run it again.
 */
import { copyStorage, type StoragePlace } from '@bucketware/storage';

const [from, to] = process.argv.slice(2);
if (from === undefined || to === undefined) {
  console.error('Usage: node dist/main.js <from> <to>, each a config of openStorage() in JSON.');
  process.exit(2);
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () =>
    stop.abort(new Error(`Ended by ${signal}. Run it again to continue.`)),
  );
}

const { blobs, bytes, records, verified } = await copyStorage({
  from: JSON.parse(from) as StoragePlace,
  to: JSON.parse(to) as StoragePlace,
  signal: stop.signal,
  onProgress: atMostEverySecond(({ blobs, bytes, records }) =>
    console.log(`${blobs} blobs, ${megabytes(bytes)} MB, ${records} records`),
  ),
  onVerify: ({ objects, bytes }) =>
    console.log(`verified ${objects} objects, ${megabytes(bytes)} MB`),
});
console.log(`Copied ${blobs} blobs of ${megabytes(bytes)} MB and ${records} records.`);
console.log(`Verified ${verified.objects} objects: ${verified.found} damaged.`);
for (const damage of verified.damaged) console.log(damage);
process.exitCode = verified.found === 0 ? 0 : 1;

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function atMostEverySecond<T>(report: (progress: T) => void): (progress: T) => void {
  let next = 0;
  return (progress) => {
    if (Date.now() < next) return;
    next = Date.now() + 1000;
    report(progress);
  };
}
