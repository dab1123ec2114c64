import { makeBucket } from './make-bucket.js';

const { BLOBS } = process.env;
if (BLOBS === undefined)
  throw new Error('BLOBS names the bucket: s3://bucket?endpoint=http://host.');
await makeBucket(BLOBS);
console.log('The bucket is there.');
