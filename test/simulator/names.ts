/** The location of an object. */
export interface Place {
  readonly bucket: string;
  readonly key: string;
}

/* The names of the entries of a world. */

export const bucketName = (bucket: string): string => `b/${bucket}`;
/** How many buckets have had this name so far. */
export const livesName = (bucket: string): string => `n/${bucket}`;
/** Exists while the grantee has a grant. */
export const grantName = (bucket: string): string => `a/${bucket}`;
export const objectName = ({ bucket, key }: Place): string =>
  `o/${bucket}/${key.replaceAll('/', '~')}`;
/** The upload from which the object was completed. */
export const tagName = (place: Place): string => `t${objectName(place).slice(1)}`;
/** Exists while the object has its own list, which grants the grantee nothing. */
export const listName = (place: Place): string => `l${objectName(place).slice(1)}`;
/** The same for the object that an upload will create. */
export const uploadListName = (upload: string): string => `l/${upload}`;
export const uploadName = (place: Place, upload: string): string =>
  `u${objectName(place).slice(1)}/${upload}`;
export const partName = (upload: string, number: number): string => `p/${upload}/${number}`;
