import { utf8 } from './encoding.js';

/** A body that can be sent again. */
export type Body = string | Uint8Array<ArrayBuffer> | ArrayBuffer | Blob;

/**
 * Throws a TypeError for anything else. fetch would send an object as text, and `undefined` as an
 * empty body, either of which would replace the data. The data may be from another realm, such as
 * a frame, so `instanceof` does not do.
 */
export function requireBody<Given>(body: Given): Given {
  const type = {}.toString.call(body);
  if (!ArrayBuffer.isView(body) && !/ (String|ArrayBuffer|Blob|File)]/.test(type)) {
    throw new TypeError('body must be a File or Blob, bytes or text. For a stream, use upload().');
  }
  const { buffer } = body as Partial<Uint8Array>;
  if (/Shared/.test({}.toString.call(buffer)))
    throw new TypeError('body must be a copy of its SharedArrayBuffer.');
  // Bytes that were transferred look empty, but these throw a TypeError.
  (body as Partial<Uint8Array>).at?.(0);
  (body as Partial<DataView>).byteLength;
  if (/ ArrayBuffer]/.test(type)) new DataView(body as ArrayBuffer);
  return body;
}

export function sizeOf(body: Body): number {
  if (typeof body === 'string') return utf8(body).length;
  return 'size' in body ? body.size : body.byteLength;
}
