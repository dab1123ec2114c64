/** Writes and appends until it is killed, and prints each durable blob with its size. */
import { randomBytes } from 'node:crypto';
import { sqliteBlobs } from './sqlite-blobs.js';

const store = sqliteBlobs(process.argv[2] as string);

async function* pieces(fill: number, count: number) {
  for (let sent = 0; sent < count; sent++) {
    await new Promise(setImmediate);
    yield Buffer.alloc(20_000, fill);
  }
}

for (;;) {
  const id = randomBytes(16).toString('hex');
  const fill = Number.parseInt(id.slice(0, 2), 16);
  const { size } = await store.write(id, pieces(fill, 5));
  console.log(id, size);
  const grown = await store.append(id, size, pieces(fill, 3));
  console.log(id, grown.size);
}
