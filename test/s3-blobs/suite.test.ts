import { blobStoreSuite } from '@bucketware/conformance';
import { s3Blobs } from '@bucketware/s3-blobs';
import test from 'ava';
import { credentials } from './fixtures.js';
import { s3Store } from './store.js';

/** These cases make thousands of requests. `npm run test:more` runs them on a real gateway. */
const LONG = 'blobs-list:';

const store = await s3Store();
test.after.always(() => store.close());

let count = 0;
blobStoreSuite(
  (name, run) => {
    if (!name.startsWith(LONG)) test(name, (t) => run(t));
  },
  async () => {
    const url = `s3://bucket/case-${++count}/?endpoint=${store.endpoint}`;
    const open = () => s3Blobs({ url, credentials });
    return { store: await open(), reopen: open };
  },
  { appends: false },
);
