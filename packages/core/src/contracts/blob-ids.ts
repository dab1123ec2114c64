const BLOB_ID = /^[0-9a-f]{32}$/;

/** Whether `text` has the form of a blob id: 32 lower-case hexadecimal digits. */
export const isBlobId = (text: string): boolean => BLOB_ID.test(text);

/** Throws a TypeError when `id` does not have the form of a blob id. */
export function checkBlobId(id: string): void {
  if (!isBlobId(id))
    throw new TypeError('A blob id must consist of 32 lower-case hexadecimal digits.');
}
