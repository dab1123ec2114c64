/** Cases of the HTTP suite that cannot pass behind a Request. docs/mounting.md explains each. */

const because = (reason: string, ...ids: string[]) =>
  Object.fromEntries(ids.map((id) => [id, reason]));

const BOTH = {
  ...because(
    'a Request resolves the dots of a path',
    ...['put-bucket-name', 'json-put-bucket-name', 'copy-sources', 'upload-part-copy-any-source'],
    ...['delete-objects-odd-keys', 'keys-odd', 'keys-spellings', 'keys-raw-dots', 'rename-any-key'],
    ...['initiate-longest-key', 'keys-between-buckets', 'keys-outside', 'host-style-keys'],
    'rename-encoded',
  ),
  ...because('a Request joins repeated headers', 'headers-twice-put', 'headers-twice-get'),
  ...because('the runtime limits headers', 'metadata-limit', 'headers-too-many'),
  ...because(
    'the runtime decides what happens to the rest of a refused upload',
    ...['body-early-refusal', 'body-access-before-bytes', 'put-object-too-large'],
    ...['upload-part-too-large', 'append-too-large'],
  ),
};

const BUN = {
  ...because('a Request joins repeated headers', 'headers-two-hosts'),
  ...because('Bun closes the connection of a refused upload', 'lifecycle-too-large'),
  ...because('Bun responds to one pipelined request at a time', 'body-keep-alive'),
  ...because(
    'Bun stores a chunked body whose last chunk is complete but for its last line break',
    ...['cut-chunked-end', 'cut-chunked-reset'],
  ),
  ...because(
    'Bun sends large objects without Content-Length',
    ...['append-race', 'append-chunked', 'append-digests', 'append-grows', 'append-many'],
    ...['complete-gaps', 'complete-etag', 'complete-multipart-upload', 'complete-crc32'],
    ...['complete-etag-single', 'copy-itself-multipart', 'copy-object', 'copy-multipart'],
    ...['upload-part-copy', 'upload-part-copy-sources', 'upload-part-copy-many-segments'],
    ...['copy-too-large', 'put-object-sizes', 'race-complete-twice', 'race-copy-overwrite'],
    ...['race-copy-itself-append', 'race-append-put', 'race-download-append', 'race-part-complete'],
    ...['cut-download', 'range-large', 'rename-multipart'],
  ),
};

/** The ids of the cases, with the reasons. */
export const differences = (runtime: string): Readonly<Record<string, string>> =>
  runtime === 'Bun' ? { ...BOTH, ...BUN } : BOTH;
