import { StorageError } from './errors.js';
import { type Call, type ClientOptions, Connection } from './http/connection.js';
import { numberIn } from './http/failures.js';
import { describedIn, withContent, writtenIn } from './object-headers.js';
import { neutral, written } from './parameters.js';
import type * as t from './types.js';

type Given = t.Cancelable & Partial<t.OfObject> & { readonly flag?: string };
type Extra = Pick<Call, 'body' | 'onProgress' | 'mayRepeat' | 'isStream'>;
type Send = <Result>(
  method: string,
  parameters: Given,
  read: (response: Response) => Promise<Result>,
  extra?: Extra,
) => Promise<Result>;

const nothing = async (response: Response): Promise<void> => {
  await response.arrayBuffer();
};

/** A copy that took long can fail after its status 200. */
async function json<Result>(response: Response): Promise<Result> {
  const value = neutral(await response.json()) as { code?: string; message?: string };
  if (value.code === undefined) return value as Result;
  const {
    code,
    message = '',
    requestId,
  } = value as { code: string; requestId?: string } & typeof value;
  throw new StorageError(code, message, { status: 500, requestId });
}

/** All operations of the JSON interface, with the names and parameters that they have in a program. */
export class Operations {
  /** For what is built on the operations. */
  protected readonly connection: Connection;
  readonly #send: Send;

  constructor(options: ClientOptions) {
    const connection = new Connection(options);
    this.connection = connection;
    this.#send = (method, { bucket, key, signal, flag, ...parameters }, read, extra) => {
      const { query, headers } = written(parameters, connection.prefix);
      const marked = flag === undefined ? query : { [flag]: '', ...query };
      return connection.send(
        { method, bucket, key, signal, headers, query: marked, ...extra },
        read,
      );
    };
  }

  #json(method: string, given: Given, body: unknown): Promise<void> {
    return this.#send(method, given, nothing, { body: JSON.stringify(body) });
  }

  listBuckets(given: t.Cancelable & { readonly prefix?: string } = {}): Promise<t.BucketList> {
    return this.#send('GET', given, json<t.BucketList>);
  }
  putBucket(given: t.InBucket & t.BucketAclOptions): Promise<void> {
    return this.#send('PUT', given, nothing, { mayRepeat: false });
  }
  headBucket(given: t.InBucket): Promise<void> {
    return this.#send('HEAD', given, nothing);
  }
  deleteBucket(given: t.InBucket): Promise<void> {
    return this.#send('DELETE', given, nothing, { mayRepeat: false });
  }
  getBucketLocation(given: t.InBucket): Promise<{ readonly locationConstraint: string }> {
    return this.#send('GET', { ...given, flag: 'location' }, json<{ locationConstraint: string }>);
  }
  listObjects(given: t.ListObjects): Promise<t.ObjectPage> {
    return this.#send('GET', given, json<t.ObjectPage>);
  }
  listMultipartUploads(given: t.ListUploads): Promise<t.UploadPage> {
    return this.#send('GET', { ...given, flag: 'uploads' }, json<t.UploadPage>);
  }
  /** At most 1,000 objects. Resolves with those that were not deleted, and why. */
  deleteMultipleObjects({
    objects,
    ...given
  }: t.InBucket & { readonly objects: readonly { readonly key: string }[] }): Promise<{
    readonly errors: readonly t.DeleteFailure[];
  }> {
    const read = async (response: Response) =>
      JSON.parse((await response.text()) || '{"errors":[]}');
    const body = JSON.stringify({ objects: objects.map(({ key }) => ({ key })) });
    return this.#send('POST', { ...given, flag: 'delete' }, read, { body, mayRepeat: false });
  }

  putObject({ body, onProgress, ...given }: t.PutObject): Promise<t.Written> {
    const { ifMatch, ifNoneMatch, ifUnmodifiedSince } = given;
    const mayRepeat = (ifMatch ?? ifNoneMatch ?? ifUnmodifiedSince) === undefined;
    return this.#send('PUT', given, this.#written, { body, onProgress, mayRepeat });
  }
  /** With an `offset`, adds to the object. Without one, begins a new object. See also `append()`. */
  appendObject({ body, ...given }: t.AppendObject): Promise<t.Appended> {
    const { prefix } = this.connection;
    const read = async (response: Response) => ({
      ...(await this.#written(response)),
      nextAppendOffset: numberIn(response.headers.get(`${prefix}next-append-offset`)) ?? 0,
    });
    return this.#send('POST', { ...given, flag: 'append' }, read, { body, mayRepeat: false });
  }
  getObject(given: t.GetObject): Promise<t.ObjectContent> {
    const read = async (response: Response) =>
      withContent(describedIn(response, given.key, this.connection.prefix), response.body);
    return this.#send('GET', given, read, { isStream: true });
  }
  getObjectMeta(given: t.OfObject & t.ReadConditions): Promise<t.StoredObject> {
    return this.#send('HEAD', given, async (response) =>
      describedIn(response, given.key, this.connection.prefix),
    );
  }
  deleteObject(given: t.OfObject & t.WriteConditions): Promise<void> {
    return this.#send('DELETE', given, nothing, { mayRepeat: false });
  }
  copyObject(given: t.CopyObject): Promise<t.Copied> {
    return this.#send('PUT', given, json<t.Copied>);
  }
  /** Gives the object `from` another key of the same bucket. */
  renameObject(given: t.OfObject & { readonly from: string }): Promise<void> {
    return this.#send('POST', given, nothing, { mayRepeat: false });
  }

  initiateMultipartUpload(
    given: t.OfObject & t.ObjectOptions,
  ): Promise<{ readonly uploadId: string }> {
    return this.#send('POST', { ...given, flag: 'uploads' }, json<{ uploadId: string }>);
  }
  uploadPart({ body, onProgress, ...given }: t.UploadPart): Promise<t.Written> {
    return this.#send('PUT', given, this.#written, { body, onProgress });
  }
  uploadPartCopy(given: t.UploadPartCopy): Promise<t.Copied> {
    return this.#send('PUT', given, json<t.Copied>);
  }
  listParts(given: t.ListParts): Promise<t.PartPage> {
    return this.#send('GET', given, json<t.PartPage>);
  }
  /** May be repeated: for a day, the same list gets the same answer. */
  completeMultipartUpload({ parts, ...given }: t.CompleteUpload): Promise<t.Completed> {
    const list = parts.map(({ partNumber, etag: eTag }) => ({ partNumber, eTag }));
    return this.#send('POST', given, json<t.Completed>, { body: JSON.stringify({ parts: list }) });
  }
  abortMultipartUpload(given: t.OfUpload): Promise<void> {
    return this.#send('DELETE', given, nothing, { mayRepeat: false });
  }

  /** One of `acl` and `accessControlList`. */
  putBucketAcl({
    accessControlList,
    ...given
  }: t.InBucket & t.BucketAclOptions & Partial<t.Acl>): Promise<void> {
    return this.#setAcl(given, accessControlList);
  }
  getBucketAcl(given: t.InBucket): Promise<t.Acl & { readonly owner: { readonly id: string } }> {
    return this.#send('GET', { ...given, flag: 'acl' }, json<t.Acl & { owner: { id: string } }>);
  }
  putObjectAcl({
    accessControlList,
    ...given
  }: t.OfObject & t.ObjectAclOptions & Partial<t.Acl>): Promise<void> {
    return this.#setAcl(given, accessControlList);
  }
  getObjectAcl(given: t.OfObject): Promise<t.Acl> {
    return this.#send('GET', { ...given, flag: 'acl' }, json<t.Acl>);
  }
  deleteObjectAcl(given: t.OfObject): Promise<void> {
    return this.#send('DELETE', { ...given, flag: 'acl' }, nothing);
  }
  putBucketCors({
    corsConfiguration,
    ...given
  }: t.InBucket & { readonly corsConfiguration: readonly t.CorsRule[] }): Promise<void> {
    return this.#json('PUT', { ...given, flag: 'cors' }, { corsConfiguration });
  }
  getBucketCors(given: t.InBucket): Promise<{ readonly corsConfiguration: readonly t.CorsRule[] }> {
    const read = json<{ corsConfiguration: readonly t.CorsRule[] }>;
    return this.#send('GET', { ...given, flag: 'cors' }, read);
  }
  deleteBucketCors(given: t.InBucket): Promise<void> {
    return this.#send('DELETE', { ...given, flag: 'cors' }, nothing);
  }
  putBucketLifecycle({
    rule,
    ...given
  }: t.InBucket & { readonly rule: readonly t.LifecycleRule[] }): Promise<void> {
    return this.#json('PUT', { ...given, flag: 'lifecycle' }, { rule });
  }
  getBucketLifecycle(given: t.InBucket): Promise<{ readonly rule: readonly t.LifecycleRule[] }> {
    return this.#send(
      'GET',
      { ...given, flag: 'lifecycle' },
      json<{ rule: readonly t.LifecycleRule[] }>,
    );
  }
  deleteBucketLifecycle(given: t.InBucket): Promise<void> {
    return this.#send('DELETE', { ...given, flag: 'lifecycle' }, nothing);
  }

  #written = async (response: Response): Promise<t.Written> => {
    await response.arrayBuffer();
    return writtenIn(response, this.connection.prefix);
  };

  #setAcl(given: Given, accessControlList: readonly t.Grant[] | undefined): Promise<void> {
    const list = { ...given, flag: 'acl' };
    if (accessControlList === undefined) return this.#send('PUT', list, nothing);
    return this.#json('PUT', list, { accessControlList });
  }
}
