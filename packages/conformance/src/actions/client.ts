import type { OutgoingHttpHeaders } from 'node:http';
import type { Answer } from '../http/answer.js';
import type { WireRequest } from '../http/wire.js';
import type { Failure } from './failure.js';
import type {
  BucketList,
  Completed,
  DeleteFailure,
  ListOptions,
  ObjectPage,
  PartListOptions,
  PartName,
  PartPage,
  UploadListOptions,
  UploadPage,
} from './pages.js';
import type {
  Acl,
  BucketAcl,
  CorsAnswer,
  CorsRule,
  LifecycleRule,
  PreflightQuestion,
} from './settings.js';
import type {
  AclOptions,
  Body,
  CompleteOptions,
  Conditions,
  Copied,
  CopyOptions,
  CopyPartOptions,
  Digests,
  Download,
  GetOptions,
  Key,
  ObjectDescription,
  ObjectName,
  ObjectOptions,
  PutOptions,
  RunningDownload,
  UploadName,
  Written,
} from './values.js';

interface BucketActions {
  createBucket(bucket: string, options?: AclOptions): Promise<void>;
  headBucket(bucket: string): Promise<void>;
  deleteBucket(bucket: string): Promise<void>;
  listBuckets(options?: { readonly prefix?: string }): Promise<BucketList>;
  bucketLocation(bucket: string): Promise<string>;
  listObjects(bucket: string, options?: ListOptions): Promise<ObjectPage>;
  /** Resolves to the objects that were not deleted. */
  deleteObjects(bucket: string, keys: readonly string[]): Promise<readonly DeleteFailure[]>;
}

interface ObjectActions {
  putObject(bucket: string, key: Key, body: Body, options?: PutOptions): Promise<Written>;
  getObject(bucket: string, key: Key, options?: GetOptions): Promise<Download>;
  headObject(bucket: string, key: Key, options?: GetOptions): Promise<ObjectDescription>;
  /** Begins a GetObject without reading the data. */
  openObject(bucket: string, key: Key): Promise<RunningDownload>;
  deleteObject(
    bucket: string,
    key: Key,
    options?: { readonly conditions?: Conditions },
  ): Promise<void>;
  copyObject(
    source: ObjectName,
    bucket: string,
    key: string,
    options?: CopyOptions,
  ): Promise<Copied>;
  /** Requires the capability `append`. Without an offset, creates a new object. */
  appendObject(
    bucket: string,
    key: string,
    body: Body,
    offset?: number,
    options?: PutOptions,
  ): Promise<Written & { readonly appendOffset: number }>;
  /** Requires the capability `rename`. */
  renameObject(bucket: string, from: string, to: string, options?: PutOptions): Promise<void>;
}

interface UploadActions {
  initiateUpload(bucket: string, key: string, options?: ObjectOptions): Promise<UploadName>;
  uploadPart(
    upload: UploadName,
    number: number,
    body: Body,
    options?: { readonly digests?: Digests },
  ): Promise<Written>;
  copyPart(
    source: ObjectName,
    upload: UploadName,
    number: number,
    options?: CopyPartOptions,
  ): Promise<Copied>;
  completeUpload(
    upload: UploadName,
    parts: readonly PartName[],
    options?: CompleteOptions,
  ): Promise<Completed>;
  abortUpload(upload: UploadName): Promise<void>;
  listParts(upload: UploadName, options?: PartListOptions): Promise<PartPage>;
  listUploads(bucket: string, options?: UploadListOptions): Promise<UploadPage>;
}

interface SettingActions {
  putBucketAcl(bucket: string, acl: Acl): Promise<void>;
  getBucketAcl(bucket: string): Promise<BucketAcl>;
  putObjectAcl(bucket: string, key: string, acl: Acl | AclOptions): Promise<void>;
  getObjectAcl(bucket: string, key: string): Promise<BucketAcl['grants']>;
  deleteObjectAcl(bucket: string, key: string): Promise<void>;
  putCors(bucket: string, rules: readonly CorsRule[]): Promise<void>;
  getCors(bucket: string): Promise<readonly CorsRule[]>;
  deleteCors(bucket: string): Promise<void>;
  putLifecycle(bucket: string, rules: readonly LifecycleRule[]): Promise<void>;
  getLifecycle(bucket: string): Promise<readonly LifecycleRule[]>;
  deleteLifecycle(bucket: string): Promise<void>;
  /** Sends a preflight for a bucket, or for an object in it. */
  preflight(
    bucket: string,
    key: string | undefined,
    question: PreflightQuestion,
  ): Promise<CorsAnswer>;
}

/**
 * Every action of one caller, over the wire format of a dialect.
 *
 * An action resolves to its result, in a form that all dialects share, or rejects with a
 * {@link Failure}. The client asserts for every response what its wire format requires: status,
 * headers and structure.
 */
export interface DialectClient extends BucketActions, ObjectActions, UploadActions, SettingActions {
  /**
   * The same caller, with more headers in every request, or a function that sees every response.
   */
  with(more: RequestExtras): DialectClient;
  /** The request of an action, without sending it. For cases that write it themselves. */
  spell(action: (client: DialectClient) => Promise<unknown>): Promise<WireRequest>;
  /** The failure in a response to such a request. */
  failureIn(answer: Answer): Failure;
}

export interface RequestExtras {
  readonly headers?: OutgoingHttpHeaders;
  readonly observe?: (answer: Answer) => void;
}
