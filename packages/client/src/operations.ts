import { StorageError } from './errors.js';
import { requireBody, sizeOf } from './http/body.js';
import { type Call, type ClientOptions, Connection } from './http/connection.js';
import { numberIn, parsed } from './http/failures.js';
import { refuseUndefined, refuseUnknown } from './names.js';
import { changed, contentOf, describedIn, sizeIn, writtenIn } from './object-headers.js';
import { neutral, written } from './parameters.js';
import type * as t from './types.js';

type Given = t.Cancelable & Partial<t.OfObject> & { readonly flag?: string };
type Extra = Pick<Call, 'body' | 'onProgress' | 'mayRepeat' | 'isStream'>;

/** In JavaScript, a program may leave out the key. The request must not reach the bucket instead. */
const ofObject = <Given extends t.OfObject>(given: Given): Given => ({
  ...given,
  key: given.key ?? '',
});

/** The fields of listed objects, which a program may pass on. */
const OF_LISTINGS = ['key', 'lastModified', 'etag', 'size', 'storageClass', 'owner'];

const nothing = async (response: Response): Promise<void> => {
  await response.arrayBuffer();
};

/** A long copy may fail after its status 200. */
async function json<Result>(response: Response): Promise<Result> {
  const value = neutral(parsed(await response.text(), response)) as Partial<Record<string, string>>;
  const { code, message = '', requestId } = value;
  if (code === undefined) return value as Result;
  throw new StorageError(code, message, { status: 500, requestId });
}

/**
 * All operations of the JSON interface, with the same names and parameters as in the programmatic
 * API.
 */
export class Operations {
  /** For subclasses. */
  protected readonly connection: Connection;

  constructor(options: ClientOptions) {
    this.connection = new Connection(options);
  }

  async #send<Result>(
    method: string,
    // A call without a bucket must not reach the service, which has all of them.
    { bucket = '', key, signal, flag, ...parameters }: Given,
    read: (response: Response) => Promise<Result>,
    extra?: Extra,
  ): Promise<Result> {
    if (extra && 'body' in extra) requireBody(extra.body);
    const { query, headers } = written(parameters, this.connection.prefix);
    const marked = flag === undefined ? query : { [flag]: '', ...query };
    const call = { method, bucket, key, signal, headers, query: marked, ...extra };
    return this.connection.send(call, read);
  }
  /** The answer is a document. */
  #ask<Result>(method: string, given: Given, extra?: Extra): Promise<Result> {
    return this.#send(method, given, json<Result>, extra);
  }
  /** The response only confirms success. */
  #run(method: string, given: Given, extra?: Extra): Promise<void> {
    return this.#send(method, given, nothing, extra);
  }
  #set(given: Given, settings: object, check?: typeof refuseUndefined): Promise<void> {
    return this.#run('PUT', given, { body: JSON.stringify(settings, check) });
  }

  async listBuckets(
    options: t.Cancelable & { readonly prefix?: string } = {},
  ): Promise<t.BucketList> {
    const { signal, ...parameters } = options;
    const { query, headers } = written(parameters, this.connection.prefix);
    return this.connection.send({ method: 'GET', signal, headers, query }, json<t.BucketList>);
  }
  putBucket(given: t.InBucket & t.BucketAclOptions): Promise<void> {
    return this.#run('PUT', given, { mayRepeat: false });
  }
  headBucket(given: t.InBucket): Promise<void> {
    return this.#run('HEAD', given);
  }
  deleteBucket(given: t.InBucket): Promise<void> {
    return this.#run('DELETE', given, { mayRepeat: false });
  }
  getBucketLocation(given: t.InBucket): Promise<{ readonly locationConstraint: string }> {
    return this.#ask('GET', { ...given, flag: 'location' });
  }
  listObjects(given: t.ListObjects): Promise<t.ObjectPage> {
    return this.#ask('GET', given);
  }
  listMultipartUploads(given: t.ListUploads): Promise<t.UploadPage> {
    return this.#ask('GET', { ...given, flag: 'uploads' });
  }
  /** Deletes up to 1,000 objects. Resolves to those that were not deleted, with the reasons. */
  async deleteMultipleObjects({
    objects,
    ...given
  }: t.InBucket & { readonly objects: readonly { readonly key: string }[] }): Promise<{
    readonly errors: readonly t.DeleteFailure[];
  }> {
    const read = async (response: Response) =>
      JSON.parse((await response.text()) || '{"errors":[]}');
    const keys = objects.map((object) => {
      refuseUnknown('An object to delete has no field', object, OF_LISTINGS);
      return { key: object.key };
    });
    const body = JSON.stringify({ objects: keys });
    return this.#send('POST', { ...given, flag: 'delete' }, read, { body, mayRepeat: false });
  }

  putObject({ body, onProgress, ...given }: t.PutObject): Promise<t.Written> {
    const { ifMatch, ifNoneMatch, ifUnmodifiedSince } = given;
    const mayRepeat = (ifMatch ?? ifNoneMatch ?? ifUnmodifiedSince) === undefined;
    return this.#send('PUT', ofObject(given), this.#written, { body, onProgress, mayRepeat });
  }
  /**
   * With `offset`, adds data to the object. Without it, creates a new object. See also `append()`.
   */
  appendObject({ body, ...given }: t.AppendObject): Promise<t.Appended> {
    const { prefix } = this.connection;
    const read = async (response: Response) => {
      const next = numberIn(response.headers.get(`${prefix}next-append-offset`));
      // Browsers hide the header from another origin.
      const nextAppendOffset = next ?? (given.offset ?? 0) + sizeOf(body);
      return { ...(await this.#written(response)), nextAppendOffset };
    };
    return this.#send('POST', { ...ofObject(given), flag: 'append' }, read, {
      body,
      mayRepeat: false,
    });
  }
  getObject(given: t.GetObject): Promise<t.ObjectContent> {
    const { bucket, key, signal } = given;
    const read = async (response: Response) => {
      try {
        // Bun and compressing proxies remove the length of a response, but not that of HEAD.
        const size = sizeIn(response) ?? (await this.getObjectMeta({ bucket, key, signal })).size;
        const object = describedIn(response, key, this.connection.prefix, size);
        return contentOf(changed(object, given), response, () => signal?.reason);
      } catch (error) {
        await response.body?.cancel();
        throw error;
      }
    };
    return this.#send('GET', ofObject(given), read, { isStream: true });
  }
  getObjectMeta(given: t.OfObject & t.ReadConditions): Promise<t.StoredObject> {
    return this.#send('HEAD', ofObject(given), async (response) =>
      changed(describedIn(response, given.key, this.connection.prefix), given),
    );
  }
  deleteObject(given: t.OfObject & t.WriteConditions): Promise<void> {
    return this.#run('DELETE', ofObject(given), { mayRepeat: false });
  }
  copyObject(given: t.CopyObject): Promise<t.Copied> {
    return this.#ask('PUT', ofObject(given));
  }
  /** Gives the object `from` a new key in the same bucket. Conditions are on the new key. */
  renameObject(given: t.OfObject & t.WriteConditions & { readonly from: string }): Promise<void> {
    return this.#run('POST', ofObject(given), { mayRepeat: false });
  }

  initiateMultipartUpload(
    given: t.OfObject & t.ObjectOptions,
  ): Promise<{ readonly uploadId: string }> {
    return this.#ask('POST', { ...ofObject(given), flag: 'uploads' });
  }
  uploadPart({ body, onProgress, ...given }: t.UploadPart): Promise<t.Written> {
    return this.#send('PUT', ofObject(given), this.#written, { body, onProgress });
  }
  uploadPartCopy(given: t.UploadPartCopy): Promise<t.Copied> {
    return this.#ask('PUT', ofObject(given));
  }
  listParts(given: t.ListParts): Promise<t.PartPage> {
    return this.#ask('GET', ofObject(given));
  }
  /** May be repeated: for a day, the same list gets the same response. */
  completeMultipartUpload({ parts, ...given }: t.CompleteUpload): Promise<t.Completed> {
    const list = parts.map(({ partNumber, etag: eTag }) => ({ partNumber, eTag }));
    return this.#ask('POST', ofObject(given), { body: JSON.stringify({ parts: list }) });
  }
  abortMultipartUpload(given: t.OfUpload): Promise<void> {
    return this.#run('DELETE', ofObject(given), { mayRepeat: false });
  }

  /** Pass either `acl` or `accessControlList`. */
  putBucketAcl({
    accessControlList,
    ...given
  }: t.InBucket & t.BucketAclOptions & Partial<t.Acl>): Promise<void> {
    return this.#setAcl(given, accessControlList);
  }
  getBucketAcl(given: t.InBucket): Promise<t.Acl & { readonly owner: { readonly id: string } }> {
    return this.#ask('GET', { ...given, flag: 'acl' });
  }
  putObjectAcl({
    accessControlList,
    ...given
  }: t.OfObject & t.ObjectAclOptions & Partial<t.Acl>): Promise<void> {
    return this.#setAcl(ofObject(given), accessControlList);
  }
  getObjectAcl(given: t.OfObject): Promise<t.Acl> {
    return this.#ask('GET', { ...ofObject(given), flag: 'acl' });
  }
  deleteObjectAcl(given: t.OfObject): Promise<void> {
    return this.#run('DELETE', { ...ofObject(given), flag: 'acl' });
  }
  putBucketCors({ corsConfiguration, ...given }: t.InBucket & t.Cors): Promise<void> {
    return this.#set({ ...given, flag: 'cors' }, { corsConfiguration });
  }
  getBucketCors(given: t.InBucket): Promise<t.Cors> {
    return this.#ask('GET', { ...given, flag: 'cors' });
  }
  deleteBucketCors(given: t.InBucket): Promise<void> {
    return this.#run('DELETE', { ...given, flag: 'cors' });
  }
  putBucketLifecycle({ rule, ...given }: t.InBucket & t.Lifecycle): Promise<void> {
    return this.#set({ ...given, flag: 'lifecycle' }, { rule }, refuseUndefined);
  }
  getBucketLifecycle(given: t.InBucket): Promise<t.Lifecycle> {
    return this.#ask('GET', { ...given, flag: 'lifecycle' });
  }
  deleteBucketLifecycle(given: t.InBucket): Promise<void> {
    return this.#run('DELETE', { ...given, flag: 'lifecycle' });
  }

  #written = async (response: Response): Promise<t.Written> => {
    await response.arrayBuffer();
    return writtenIn(response, this.connection.prefix);
  };

  #setAcl(given: Given, accessControlList: readonly t.Grant[] | undefined): Promise<void> {
    const list = { ...given, flag: 'acl' };
    return accessControlList
      ? this.#set(list, { accessControlList }, refuseUndefined)
      : this.#run('PUT', list);
  }
}
