export { type S3BlobsOptions, s3Blobs } from './s3-blobs.js';
