/** Where an object is. */
export interface Place {
  readonly bucket: string;
  readonly key: string;
}

/* What the entries of a world are called. */

export const bucketName = (bucket: string): string => `b/${bucket}`;
/** How many buckets have had the name so far. */
export const livesName = (bucket: string): string => `n/${bucket}`;
/** Is there while the grantee has a grant. */
export const grantName = (bucket: string): string => `a/${bucket}`;
export const objectName = ({ bucket, key }: Place): string =>
  `o/${bucket}/${key.replaceAll('/', '~')}`;
/** The upload that an object was completed from. */
export const tagName = (place: Place): string => `t${objectName(place).slice(1)}`;
/** Is there while an object has a list of its own: it gives the grantee nothing. */
export const listName = (place: Place): string => `l${objectName(place).slice(1)}`;
/** The same for the object that an upload will make. */
export const uploadListName = (upload: string): string => `l/${upload}`;
export const uploadName = (place: Place, upload: string): string =>
  `u${objectName(place).slice(1)}/${upload}`;
export const partName = (upload: string, number: number): string => `p/${upload}/${number}`;
