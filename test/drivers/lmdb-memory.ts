/** Runs out of memory in the middle of a commit. */
const [directory = ''] = process.argv.slice(2);
let isFull = false;

// lmdb-js collects its writes in such buffers. It gets the class when it is loaded.
globalThis.SharedArrayBuffer = new Proxy(SharedArrayBuffer, {
  construct(buffer, args) {
    if (isFull) throw new RangeError('Array buffer allocation failed');
    return Reflect.construct(buffer, args) as SharedArrayBuffer;
  },
});
// Hosts may listen to signals, as those with signal-exit do.
process.on('SIGABRT', () => {});
const { lmdbMetadata } = await import('@bucketware/lmdb');
const store = await lmdbMetadata({ directory });
await store.commit({ put: [{ key: 'before', value: 1 }] });
isFull = true;
const put = Array.from({ length: 5000 }, (_, index) => ({ key: `torn${index}`, value: index }));
await store.commit({ put });
