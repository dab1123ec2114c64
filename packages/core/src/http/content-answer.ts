import { Readable } from 'node:stream';
import { unchangedObject } from '../actions/parameters/conditions.js';
import { ObjectContent, recordOf, type StoredObject } from '../actions/stored-object.js';
import type { Permit } from '../engine/access/permit.js';
import type { ObjectRecord } from '../engine/records/objects.js';
import { type Exposure, protectContent } from './content-headers.js';
import { HttpError } from './http-error.js';
import type { StorageResponse } from './message.js';

/** The facts that decide how an object is sent, and to whom. */
export interface Serving extends Exposure {
  readonly permit: Permit;
  readonly key: string;
  /** How many tags the response reports. */
  tagCountOf(record: ObjectRecord): Promise<number | undefined>;
  /** The response with an object, as the dialect built it. */
  respond(object: StoredObject): StorageResponse;
}

/** The response with an object, with its headers for browsers and caches. */
export async function answerContent(
  object: StoredObject,
  serving: Serving,
): Promise<StorageResponse> {
  const { permit, key, respond } = serving;
  const response = respond(object);
  const found = permit.opennessOf(key, recordOf(object));
  try {
    const { open, anyone } = found instanceof Promise ? await found : found;
    const headers = response.headers as Record<string, string>;
    // Not everyone who may read an object may read its tags.
    const isForAll = open && object.tagCount === undefined;
    protectContent(response.status, headers, { open: isForAll, anyone }, serving);
  } catch (error) {
    if (response.body instanceof Readable) response.body.destroy();
    throw error;
  }
  return response;
}

/**
 * The headers that a 304 shares with the 200 (RFC 9110 section 15.4.5), and those that protect the
 * copy in a browser: it takes on the headers of a 304, so a policy of the app would replace the
 * sandbox of its copy (RFC 9111 section 4.3.4).
 */
const OF_UNCHANGED = [
  ...['cache-control', 'expires', 'vary', 'cross-origin-resource-policy'],
  ...['content-security-policy', 'x-content-type-options'],
];

/**
 * Adds headers to a NotModified error: caches update their stored response with the headers of a
 * 304.
 */
export async function answerableError(error: unknown, serving: Serving): Promise<unknown> {
  const object = unchangedObject(error);
  if (object === undefined) return error;
  const { key } = serving;
  const tagCount = await serving.tagCountOf(object);
  const whole = new ObjectContent(key, object, new Uint8Array(), { tagCount });
  const { headers: found } = await answerContent(whole, serving);
  const headers: Record<string, string> = {};
  for (const name of OF_UNCHANGED) if (found[name] !== undefined) headers[name] = found[name];
  const { etag, lastModified } = object;
  return new HttpError('NotModified', undefined, { headers, details: { etag, lastModified } });
}
