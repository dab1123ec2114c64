/** The interface's units are binary: 1 KB is 1,024 bytes. */
const KB = 1024;
const MB = 1024 * KB;
const GB = 1024 * MB;

/** For PutObject, AppendObject, a part, a copied part, and the source of CopyObject (Limits). */
export const MAX_OBJECT_BYTES = 5 * GB;

/**
 * Multipart uploads: an object has at most 48.8 TB, the total of 10,000 parts of the maximum size.
 */
export const MAX_PARTS = 10_000;
export const MIN_PART_BYTES = 100 * KB;
export const MAX_ASSEMBLED_BYTES = MAX_PARTS * MAX_OBJECT_BYTES;
export const MAX_PART_LIST_BYTES = MB;

/** The maximum number of segments of an object: the same as that of its parts. */
export const MAX_SEGMENTS = 10_000;
/**
 * Part copies of up to this size are copied instead of shared. They are read for their MD5 anyway.
 */
export const MAX_COPIED_PART_BYTES = 8 * MB;

/** Limits on object keys, metadata and buckets. */
export const MAX_KEY_BYTES = 1023;
export const MAX_METADATA_BYTES = 2 * KB;
export const MAX_BUCKETS_PER_OWNER = 100;
export const MAX_UPLOADS_PER_BUCKET = 10_000;

/** The maximum number of entries on a page of any listing. A request for more gets this many. */
export const MAX_PAGE = 1000;
/** A page ends early when its texts would take more than this many bytes in a response. */
export const MAX_PAGE_BYTES = 1.25 * MB;

/** DeleteMultipleObjects. */
export const MAX_DELETE_OBJECTS = 1000;
export const MAX_DELETE_BODY_BYTES = 2 * MB;

/** For the settings of a bucket in a JSON body. */
export const MAX_SETTINGS_BODY_BYTES = 20 * KB;

export const MAX_OBJECT_TAGS = 10;
export const MAX_BUCKET_TAGS = 50;
/** In characters, each of which may take several bytes. */
export const MAX_TAG_KEY = 128;
export const MAX_TAG_VALUE = 256;

export const MAX_GRANTS = 100;
export const MAX_CORS_RULES = 100;
export const MAX_LIFECYCLE_RULES = 1000;
/**
 * For all lifecycle rules of a bucket together. Each resource takes time and memory when objects
 * are read.
 */
export const MAX_LIFECYCLE_RESOURCES = 10_000;
/** Enough for 1,000 rules of ordinary length. */
export const MAX_LIFECYCLE_BODY_BYTES = MB;

/**
 * Node silently drops headers beyond its own limit, so with this many, some may have been dropped.
 */
export const MAX_HEADER_FIELDS = 1000;

/** More than any request needs: a link may contain each header as a parameter. */
export const MAX_PARAMETERS = 200;

/** For a list in a header. More than any client sends. */
export const MAX_LISTED = 200;

/**
 * For the URL and the headers of a request together, without cookies, in characters. Node allows 16
 * KB in HTTP/1.1, but 64 KB in HTTP/2.
 */
export const MAX_HEAD = 32 * KB;

/** The maximum values of options that limit how many bytes of one request stay in memory. */
export const MAX_APPEND_MEMORY = 64 * MB;
export const MAX_INLINE_BYTES = 16 * MB;
