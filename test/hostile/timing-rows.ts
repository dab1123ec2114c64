import { core, type Field, findPlace, operations } from './core.js';

/** The maximum size of all headers of a request, in bytes. Node rejects larger ones. */
const HEADER = 16 * 1024;
export const KB = 1024;

const { conditions, crossSite, dates, formFields, query, range, target, wildcard } = core;

const inputOf = (operation: string, name: string): Field =>
  operations.find((item) => item.name === operation)?.input[name] as Field;

/** Reads an input from a text, wherever the operation expects it. */
const reading = (operation: string, name: string) => {
  const field = inputOf(operation, name);
  return (text: string): unknown => {
    const source = { get: () => text, has: () => true, names: () => ['x-svc-meta-a'].values() };
    return field.read({ query: source, headers: source });
  };
};
const accepting = (operation: string, name: string) => {
  const field = inputOf(operation, name);
  return (text: string): unknown => field.accept(JSON.parse(text));
};

const object = { etag: 'x', lastModified: 0 } as Parameters<typeof conditions.requireReadable>[1];
const place = (url: string) =>
  ({ url, mount: '', encrypted: false, rawHeaders: [] as string[] }) as object as Parameters<
    typeof target.findPlace
  >[0];
const host = (text: string) => findPlace(place('/'), ['host', text], { baseHost: 'h.test' });
const sentTo = (text: string) =>
  findPlace(place('/bucket/a'), ['host', text], { publicUrl: 'http://h.test' })?.sentTo();
const path = (text: string) => {
  const found = findPlace(place(text), []);
  return found && target.readTarget(found);
};
/** A page that changes something, by its `Origin` or by the `Host` that it is compared with. */
const change = (origin: string, own: string) =>
  crossSite.requireOwnSite('refuse', {
    headers: { get: (name: string) => (name === 'origin' ? origin : undefined) } as never,
    isSigned: false,
    ownHost: () => own,
    rule: undefined,
  });
/** Host names whose conversion to ASCII takes quadratic time. */
const INTERNATIONAL = Array.from({ length: 1000 }, (_, at) =>
  encodeURIComponent(String.fromCharCode(0x4e00 + at)),
).join('');
const international = (size: number) =>
  `http://${INTERNATIONAL.slice(0, 9 * Math.floor(size / 18))}`.padEnd(size, 'a');
const repeated =
  (unit: string, head = '', tail = '') =>
  (size: number) =>
    head +
    unit.repeat(Math.max(0, Math.floor((size - head.length - tail.length) / unit.length))) +
    tail;

export type Row = readonly [
  name: string,
  limit: number,
  make: (size: number) => string,
  parse: (text: string) => unknown,
];

/** Texts for which a careless parser would examine every character again and again. */
export const ROWS: readonly Row[] = [
  ...['1', '0-0,', '-', ' ', '\t', '1-'].map(
    (unit): Row => [
      `range of ${unit}`,
      HEADER,
      repeated(unit, 'bytes='),
      (text) => range.parseRange(text, 1e9),
    ],
  ),
  ...['Mon, ', '0', ' ', 'GMT', 'a'].map(
    (unit): Row => [`date of ${unit}`, HEADER, repeated(unit, 'Sun, '), dates.parseHttpDate],
  ),
  ...['"a",', ',', ' ', 'W/', '"', '*', 'W/"a",'].map(
    (unit): Row => [
      `ETags of ${unit}`,
      HEADER,
      repeated(unit, '', '!'),
      (ifMatch) => conditions.requireWritable({ ifMatch }, object),
    ],
  ),
  ...['a=1&', '&', '=', '+', '%41', '%', 'a&', '%C3%A9'].map(
    (unit): Row => [
      `query of ${unit}`,
      HEADER,
      repeated(unit),
      (text) => [...new query.Query(text).names()],
    ],
  ),
  ['international origin', HEADER, international, (text) => change(text, 'h.test')],
  ['international host', HEADER, international, (text) => change('http://h', text.slice(7))],
  ['page after a form', HEADER, international, formFields.pageOf],
  ['host at a public URL', HEADER, international, (text) => sentTo(text.slice(7))],
  ...['/', '//', '../', '%2e', '%', 'a', '?', '/v1'].map(
    (unit): Row => [`path of ${unit}`, HEADER, repeated(unit, '/bucket/'), path],
  ),
  ...[':', '1', ':1', '.', 'a.', '.h.test'].map(
    (unit): Row => [`host of ${unit}`, HEADER, repeated(unit, ':', '.h.test'), host],
  ),
  ...['/', '%2f', '%', 'a', '\xc3\xa9', '\xff', '?'].flatMap((unit): Row[] => [
    [`copy source of ${unit}`, HEADER, repeated(unit, '/bucket/'), reading('CopyObject', 'source')],
    [`rename source of ${unit}`, HEADER, repeated(unit), reading('RenameObject', 'from')],
  ]),
  ...['id="a",', ',', 'id="', '"', ' ', 'id=', '\xff'].map(
    (unit): Row => [
      `grants in a header of ${unit}`,
      HEADER,
      repeated(unit, '', '!'),
      reading('PutObject', 'grantRead'),
    ],
  ),
  ...['9', '=', 'a', '+/'].flatMap((unit): Row[] =>
    ['contentMd5', 'contentSha256', 'contentCrc32'].map(
      (name): Row => [
        ...([`${name} of ${unit}`, HEADER, repeated(unit), reading('PutObject', name)] as const),
      ],
    ),
  ),
  ...[' ', '\t', 'a', ';', '"', '\x85', 'a '].flatMap((unit): Row[] => [
    [
      `disposition of ${unit}`,
      HEADER,
      repeated(unit, 'a', '!'),
      reading('PutObject', 'contentDisposition'),
    ],
    [
      `override of ${unit}`,
      HEADER,
      repeated(unit, 'a', '!'),
      reading('GetObject', 'responseContentType'),
    ],
    [`metadata of ${unit}`, HEADER, repeated(unit, 'a', '!'), reading('PutObject', 'metadata')],
    // A program may pass on what its users sent, which has no size limit.
    [
      `metadata of a program of ${unit}`,
      256 * KB,
      repeated(unit, 'a', '!'),
      (text) => inputOf('PutObject', 'metadata').accept({ a: text }),
    ],
  ]),
  ...['1', '0', ' ', '-'].map(
    (unit): Row => [`number of ${unit}`, HEADER, repeated(unit), reading('ListParts', 'maxParts')],
  ),
  ...['a*', '*', 'a', '\u0130'].flatMap((unit): Row[] => [
    [
      `wildcard of ${unit}`,
      20 * KB,
      repeated(unit),
      (text) => wildcard.matchesWildcard(`${text}*${text}`, text + text),
    ],
    [
      `grant about ${unit}`,
      20 * KB,
      repeated(unit),
      (text) =>
        accepting(
          'PutBucketAcl',
          'accessControlList',
        )(JSON.stringify([{ grantee: [{ id: 'a' }], permission: ['READ'], resource: [text] }])),
    ],
    [
      `CORS header of ${unit}`,
      20 * KB,
      repeated(unit),
      (text) =>
        accepting(
          'PutBucketCors',
          'corsConfiguration',
        )(
          JSON.stringify([
            { allowedOrigins: ['*'], allowedMethods: ['GET'], allowedHeaders: [text] },
          ]),
        ),
    ],
  ]),
  [
    'grants',
    20 * KB,
    repeated('{"grantee":[{"id":"a"}],"permission":["READ"]},', '[', '0]'),
    accepting('PutBucketAcl', 'accessControlList'),
  ],
  [
    'resources of a grant',
    20 * KB,
    repeated('"a*",', '[', '"b"]'),
    (text) =>
      accepting(
        'PutBucketAcl',
        'accessControlList',
      )(`[{"grantee":[{"id":"a"}],"permission":["READ"],"resource":${text}}]`),
  ],
  [
    'resources of a rule',
    1024 * KB,
    repeated('"a/*",', '[', '"b/"]'),
    (text) =>
      accepting(
        'PutBucketLifecycle',
        'rule',
      )(
        `[{"status":"enabled","resource":${text},"condition":{},"action":{"name":"DeleteObject"}}]`,
      ),
  ],
  [
    'parts',
    1024 * KB,
    (size) =>
      JSON.stringify(
        Array.from({ length: size / 120 }, (_, at) => ({
          partNumber: at + 1,
          eTag: 'x'.repeat(80),
        })),
      ),
    accepting('CompleteMultipartUpload', 'parts'),
  ],
  [
    'objects of a batch',
    2048 * KB,
    repeated('{"key":"a"},', '[', '{"key":"b"}]'),
    accepting('DeleteMultipleObjects', 'objects'),
  ],
  ...['[', '{"a":', '"', '{', '[0,', '\\'].map(
    (unit): Row => [`JSON of ${unit}`, 256 * KB, repeated(unit), (text) => JSON.parse(text)],
  ),
];
