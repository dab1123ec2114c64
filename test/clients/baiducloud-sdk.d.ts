/**
 * The manifest of the package does not refer to its declarations. These cover what the tests use.
 */
declare module '@baiducloud/sdk' {
  interface Answer<Body = Record<string, never>> {
    readonly http_headers: Readonly<Record<string, string>>;
    readonly body: Body;
  }

  /** What a rejected promise of the SDK contains. */
  export interface Failure {
    readonly status_code: number;
    readonly code: string;
    readonly message: string;
    readonly request_id: string;
  }

  type Options = Readonly<Record<string, unknown>>;

  interface Config {
    readonly endpoint: string;
    readonly credentials: { readonly ak: string; readonly sk: string };
    readonly sessionToken?: string;
    readonly pathStyleEnable?: boolean;
    readonly cname_enabled?: boolean;
    readonly removeVersionPrefix?: boolean;
  }

  interface Grant {
    readonly grantee: readonly { readonly id: string }[];
    readonly permission: readonly string[];
  }

  interface Listing {
    readonly contents: readonly {
      readonly key: string;
      readonly eTag: string;
      readonly size: number;
    }[];
    readonly commonPrefixes?: readonly { readonly prefix: string }[];
    readonly isTruncated: boolean;
    readonly nextMarker?: string;
  }

  interface Copied {
    readonly eTag: string;
    readonly lastModified: string;
  }

  interface Part {
    readonly partNumber: number;
    readonly eTag: string;
  }

  interface SuperUpload {
    start(): Promise<unknown>;
    pause(): boolean;
    resume(): boolean;
    cancel(): Promise<boolean>;
  }

  export class BosClient {
    constructor(config: Config);
    createBucket(bucket: string): Promise<Answer>;
    listBuckets(): Promise<Answer<{ readonly buckets: readonly { readonly name: string }[] }>>;
    doesBucketExist(bucket: string): Promise<boolean>;
    getBucketLocation(bucket: string): Promise<Answer<{ readonly locationConstraint: string }>>;
    deleteBucket(bucket: string): Promise<Answer>;
    putObject(bucket: string, key: string, data: unknown, options?: Options): Promise<Answer>;
    putObjectFromString(
      bucket: string,
      key: string,
      data: string,
      options?: Options,
    ): Promise<Answer>;
    putObjectFromFile(
      bucket: string,
      key: string,
      file: string,
      options?: Options,
    ): Promise<Answer>;
    getObject(bucket: string, key: string, range?: string): Promise<Answer<Uint8Array>>;
    getObjectToFile(bucket: string, key: string, file: string): Promise<Answer>;
    getObjectMetadata(bucket: string, key: string): Promise<Answer>;
    listObjects(bucket: string, options?: Options): Promise<Answer<Listing>>;
    deleteObject(bucket: string, key: string): Promise<Answer>;
    deleteMultipleObjects(
      bucket: string,
      keys: readonly string[],
    ): Promise<
      Answer<{ readonly errors?: readonly { readonly key: string; readonly code: string }[] }>
    >;
    copyObject(
      fromBucket: string,
      fromKey: string,
      bucket: string,
      key: string,
      options?: Options,
    ): Promise<Answer<Copied>>;
    appendObjectFromString(
      bucket: string,
      key: string,
      data: string,
      offset?: number,
    ): Promise<Answer>;
    initiateMultipartUpload(
      bucket: string,
      key: string,
      options?: Options,
    ): Promise<Answer<{ readonly uploadId: string }>>;
    uploadPartFromFile(
      ...part: [
        ...[bucket: string, key: string, uploadId: string, partNumber: number, size: number],
        ...[file: string, offset: number],
      ]
    ): Promise<Answer>;
    uploadPartCopy(
      ...part: [
        ...[fromBucket: string, fromKey: string, bucket: string, key: string],
        ...[uploadId: string, partNumber: number, range?: string],
      ]
    ): Promise<Answer<Copied>>;
    listParts(
      bucket: string,
      key: string,
      uploadId: string,
    ): Promise<Answer<{ readonly parts: readonly Part[] }>>;
    listMultipartUploads(
      bucket: string,
    ): Promise<Answer<{ readonly uploads: readonly { readonly key: string }[] }>>;
    completeMultipartUpload(
      bucket: string,
      key: string,
      uploadId: string,
      parts: readonly Part[],
      options?: Options,
    ): Promise<Answer<{ readonly eTag: string; readonly location: string }>>;
    abortMultipartUpload(bucket: string, key: string, uploadId: string): Promise<Answer>;
    putSuperObject(upload: Options): SuperUpload;
    setBucketCannedAcl(bucket: string, acl: string): Promise<Answer>;
    setBucketAcl(bucket: string, grants: readonly Grant[]): Promise<Answer>;
    getBucketAcl(bucket: string): Promise<Answer<{ readonly accessControlList: readonly Grant[] }>>;
    putObjectCannedAcl(bucket: string, key: string, acl: string): Promise<Answer>;
    putObjectAcl(bucket: string, key: string, grants: readonly Grant[]): Promise<Answer>;
    getObjectAcl(
      bucket: string,
      key: string,
    ): Promise<Answer<{ readonly accessControlList: readonly Grant[] }>>;
    deleteObjectAcl(bucket: string, key: string, options: Options): Promise<Answer>;
    putBucketLifecycle(
      bucket: string,
      rules: { readonly rule: readonly Options[] },
    ): Promise<Answer>;
    getBucketLifecycle(bucket: string): Promise<Answer<{ readonly rule: readonly Options[] }>>;
    deleteBucketLifecycle(bucket: string): Promise<Answer>;
    optionsObject(bucket: string, key: string, options: Options): Promise<Answer>;
    postObject(bucket: string, key: string, data: Buffer, options?: Options): Promise<Answer>;
    generatePresignedUrl(
      bucket: string,
      key: string,
      timestamp?: number,
      seconds?: number,
      headers?: Readonly<Record<string, string>>,
      parameters?: Readonly<Record<string, string>>,
    ): string;
  }
}
