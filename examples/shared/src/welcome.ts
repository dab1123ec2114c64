export interface Started {
  /** Such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** The host name of the S3 interface, without the port. */
  readonly s3Host: string;
  readonly accessKey: string;
  readonly secret: string;
}

/** Suggestions that an example prints after it has started. */
export const welcome = ({ url, s3Host, accessKey, secret }: Started): string => `
Log in at ${url}/login, see the storage at ${url}/console/, and upload at ${url}/upload.

The storage is at ${url}/storage. Try it:

  curl -X PUT -H 'Authorization: Bearer alice' ${url}/storage/notes
  curl -X PUT -H 'Authorization: Bearer alice' -H 'Content-Type: text/plain' --data-binary 'Hello from my own storage.' ${url}/storage/notes/hello.txt
  curl -H 'Authorization: Bearer alice' ${url}/storage/notes/hello.txt

S3 clients find the same buckets at ${url}/s3, and at the root of http://${s3Host}:${new URL(url).port}:

  export AWS_ACCESS_KEY_ID=${accessKey} AWS_SECRET_ACCESS_KEY=${secret} AWS_REGION=us-east-1
  aws --endpoint-url ${url}/s3 s3 ls s3://notes
`;
