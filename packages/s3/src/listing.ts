import { type actions, query, type Reader, wholeNumber } from '@bucketware/core/dialect';
import { invalid } from './errors.js';
import { shownClass } from './object-headers.js';

/**
 * Returns a key unchanged, or percent-encodes it for clients that request that, because XML cannot
 * contain every key.
 */
export type Encode = (text: string) => string;

export const encodingType = {
  encode: {
    label: 'The query parameter encoding-type',
    query: ['encoding-type'],
    read({ query: parameters }) {
      const type = parameters.get('encoding-type');
      if (type === undefined || type === '') return undefined;
      if (type !== 'url') throw invalid('The query parameter encoding-type must be url.');
      return urlEncoded;
    },
  } satisfies Reader<Encode | undefined>,
};

const urlEncoded: Encode = (text) =>
  encodeURIComponent(text)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

export const asItIs: Encode = (text) => text;

/** An element that is absent from the response when it is empty. */
export const given = (text: string | undefined, encode: Encode = asItIs): string | undefined =>
  text ? encode(text) : undefined;

export const pageOf = {
  prefix: query('prefix'),
  delimiter: query('delimiter'),
  maxKeys: query('max-keys', wholeNumber),
};

/** Continuation tokens are opaque to clients. They contain the last key of a page. */
export const tokenOf = (key: string): string => Buffer.from(key).toString('base64url');

export function keyOfToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString();
  if (key !== '' && tokenOf(key) === token) return key;
  throw invalid('The continuation token provided is incorrect.');
}

export const isoTime = (time: Date): string => time.toISOString();

interface Owner {
  readonly id: string;
  readonly displayName: string;
}

export const owner = ({ id, displayName }: Owner) => ({ ID: id, DisplayName: displayName });

type ListedObject = Awaited<ReturnType<typeof actions.listObjects.run>>['contents'][number];

/** The description of an object in a listing, without its key. */
export const shownObject = (object: ListedObject) => ({
  LastModified: isoTime(object.lastModified),
  ETag: `"${object.etag}"`,
  Size: object.size,
  Owner: owner(object.owner),
  StorageClass: shownClass(object.storageClass),
});

/** A principal in the form of an S3 owner. */
export const ownerOf = (
  principal: { readonly userId: string; readonly userName: string } | undefined,
) => principal && { ID: principal.userId, DisplayName: principal.userName };

export const prefixes = (
  found: readonly { readonly prefix: string }[],
  encode: Encode,
): readonly { readonly Prefix: string }[] =>
  found.map(({ prefix }) => ({ Prefix: encode(prefix) }));
