import { BucketAlreadyOwnedByYou, CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';

/**
 * Creates the bucket of a URL such as `s3://bucket/prefix?endpoint=http://host` unless it exists.
 */
export async function makeBucket(
  url: string,
  credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string },
): Promise<void> {
  const { hostname: Bucket, searchParams } = new URL(url);
  const endpoint = searchParams.get('endpoint');
  const client = new S3Client({
    ...{ region: searchParams.get('region') ?? 'us-east-1', forcePathStyle: true },
    ...(endpoint === null ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  });
  try {
    await client.send(new CreateBucketCommand({ Bucket }));
  } catch (error) {
    if (!(error instanceof BucketAlreadyOwnedByYou)) throw error;
  } finally {
    client.destroy();
  }
}
