/**
 * The classes of attack that object storage and upload servers have met, and where each is proven: a
 * case of the conformance suite by its id, a test by its file and a part of its name.
 */
export const CLASSES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'names that lead elsewhere: paths, escapes, other spellings': {
    'dots, slashes and escapes in the path': ['keys-odd', 'keys-raw-dots', 'keys-spellings'],
    'no file outside the storage, none with a name of a user': [
      'hostile/keys: each legal key is an object of its own',
      'hostile/inputs: no spelling in any input reaches another bucket, a file or a failure',
    ],
    'invalid and overlong UTF-8, NUL, half characters': [
      'keys-unreadable',
      'hostile/keys: what cannot be a key',
    ],
    'lengths: 300-byte segments, 1,023 and 1,024 bytes': ['keys-length'],
    'case twins, both forms of é, device names': [
      'keys-case-and-form',
      'hostile/keys: each legal key',
    ],
    'host style and a bucket in the host': [
      'host-style-keys',
      'host-style-bad-name',
      'host-style-host',
    ],
    'copy source, rename source, batch, markers, prefix, delimiter': [
      'hostile/keys: each legal key',
      'hostile/inputs: no spelling in any input',
      'list-odd-prefix',
      'list-uploads-hostile-markers',
    ],
    'upload id, part number, version': [
      'hostile/inputs: no spelling in any input',
      'unoffered-object-query',
    ],
    'every mount leaves the path alone': [
      'http/mounting-koa: koa-mount',
      'http/mounting-express: app.use',
    ],
  },
  'two readers of one request': {
    'authorised is what is touched': ['hostile/targets: what was asked about is what is touched'],
    'each operation asks once about each target, source and member': [
      'hostile/targets: every operation asks exactly once',
      'http/access-hooks: copies and renames ask once',
      'http/hooks: each member of a batch',
    ],
    'refused before anything is read': [
      'hostile/targets: who is refused touches nothing',
      'access-before-input',
    ],
    'headers twice, and hidden behind 1,000 others': [
      'hostile/headers: a header that an operation reads is refused when it comes twice',
      ...['headers-twice-put', 'headers-twice-get', 'headers-two-hosts', 'headers-too-many'],
    ],
    'absolute form, two lengths, requests within a body': [
      'headers-absolute-form',
      'body-two-framings',
      'body-smuggling',
    ],
  },
  'time: what changes while a request is under way': {
    'a bucket that takes the name of another, a right that was taken back': [
      'hostile/admitted: a bucket that takes the name of another is not touched',
      'hostile/admitted: a right that was taken back is gone',
      'hostile/dawdling: requests that wait while a bucket changes hands',
      'hostile/dawdling: the rule of the host is asked again',
    ],
    'an object that is replaced between question and commit': [
      'http/access-hooks: copies and renames ask once',
    ],
    'requests sent ahead on one connection, and clients that leave': [
      'http/pipelining: requests that are sent ahead are answered in their order',
      'http/leaving-clients: the signal of a request aborts',
      'http/copy-turns: a copy ends, and makes nothing, when its client leaves',
    ],
  },
  'rights that reach further than they say': {
    'lists that a writer sets with another operation': [
      'http/rights: who may only write sets no list',
      'http/rights: an upload that was begun with a list',
    ],
    'users of other tenants with the same id': ['http/rights: a user id counts within its tenant'],
    'principals of a wrong shape': ['http/principals: a principal is refused'],
    'a Deny that is got round': ['http/rights: a Deny of the bucket wins'],
    'conditions and empty appends that tell what is there': [
      'http/rights: who may not read learns nothing',
    ],
    'everything public': ['http/rights: blockPublicAccess'],
  },
  'what is unknown and ignored': {
    'parameters, headers and conditions of every operation': [
      'hostile/unread: no operation ignores what would change its meaning',
    ],
    'options and parameters of programs': [
      'http/options: an option with an unknown name',
      'http/options: parameters of operations with unknown names',
      'drivers/open-storage: an unknown option or a wrong value',
    ],
  },
  'pages of other sites': {
    'forms that upload: fields that grow, protections, a second file, no end': [
      'hostile/forms: JSON: a name that is asked for again and again',
      'hostile/forms: S3: a name that is asked for again and again',
      'hostile/forms: S3: a form of two files stores neither',
      'http/forms: a form that asks for more, or is none, stores nothing',
      's3/form: what a form cannot honour is refused',
    ],
    'forms and scripts that change what is stored': [
      'http/cross-site: a change of another site is refused before anybody asks',
      'http/cross-site: behind a proxy',
    ],
  },
  amplification: {
    'objects of ever more segments': [
      'http/segments: parts of several segments are joined',
      'http/segments: appends of many openings join',
    ],
    'copies that cost more than they ask for': [
      'http/segments: of a blob that cannot be shared',
      'http/copy-turns: four copies of a caller read at a time',
    ],
    'buckets with very many uploads': ['http/many-uploads: a bucket with 100,000 unfinished'],
    'listings and batches that keep others waiting': ['http/copy-turns: a long listing'],
    'batches that wait, and what they are answered': [
      'http/work-turns: batches that wait for their turn are counted',
      's3/xml-memory: an answer that says what was deleted is sent',
    ],
    'bodies that come too slowly, too deep': [
      'http/json-timeout: JSON that comes steadily',
      'http/json-timeout: fields of a form that come steadily',
      's3/read: other work gets its turn while a body is read',
      's3/read: bytes, text, depth and number',
    ],
    'results that nobody reads': ['http/programmatic-bodies: results that nobody reads'],
  },
  'drivers and what they tell': {
    'files that others may read': ['drivers/file-modes: all that a storage writes is for its own'],
    'passwords in errors': ['drivers/passwords: no error shows a password'],
    'a record store that lies': ['keyv/lying: a page of'],
  },
  'headers and metadata that become part of an answer': {
    'CR, LF, NUL and every other byte': [
      'hostile/headers: each of the 256 bytes',
      'hostile/headers: no character of an override splits the answer',
      ...['overrides-hostile', 'overrides-splitting', 'headers-control'],
    ],
    'names of the service, __proto__': [
      'hostile/headers: no header or metadata of a client',
      'metadata-proto',
    ],
  },
  'credentials and signatures': {
    'none are checked where the host says who calls': ['access-forged', 'preflight-anybody'],
    'none means another object, or more than was signed': [
      'signature/moved-headers: only what is signed counts',
      'signature/moved-places: no forwarded prefix makes the signature',
      'signature/moved-places: no forwarded host makes the signature',
      'signature/own-login: a link that the login verifies',
    ],
    'an access key is of one user, or refused': [
      'signature/credentials: credentials that are not usable are refused at once',
      'signature/credentials: a credential that is looked up and not usable',
    ],
    'a login or rule that fails lets nobody in': [
      'http/hooks: a principal that throws',
      'http/hooks: an authorize that throws',
    ],
  },
  'ranges and numbers': {
    'the grammar of ranges': [
      'range-malformed',
      'hostile/fuzz-wire: a range lies within the object',
    ],
    'numbers in other notations': [
      'hostile/inputs: no spelling in any input',
      'list-max-keys-strict',
    ],
    'none takes long': ['hostile/timing: no text of the size that is allowed'],
  },
  'bodies that lie, stall or break off': {
    'announced, chunked, malformed, too large': [
      'hostile/bodies: no body that lies is published',
      ...[
        'cut-announced-end',
        'cut-chunked-reset',
        'cut-chunked-malformed',
        'put-object-too-large',
      ],
    ],
    'bodies in chunks of S3: not what they say, very many, kept by a parser': [
      's3/bodies: a body in chunks is refused where it stops being one',
      's3/bodies: a body is held to its checksums',
      'signature/s3-payload: small chunks are joined, and too many',
    ],
    'read, decoded or dropped before the storage reads them': [
      'http/eaten-bodies: a body is never cut short',
      'http/decoded-bodies: a body that the app has decoded',
      'http/web-listened-bodies: a body is never cut short',
      'http/shared-streams: is stored whole, or refused',
      'http/answered-by-the-app: an upload whose request the app has answered',
      'client/mistakes: a stream that was read elsewhere',
    ],
    'slow and stalled': ['hostile/bodies: slow and stalled bodies'],
    'refused before they are taken in': ['body-early-refusal', 'body-access-before-bytes'],
  },
  'JSON and lists': {
    'nested, doubled, polluting, broken, too large': [
      'hostile/json: no JSON breaks an operation',
      'hostile/json: of a name that stands twice',
      'hostile/json: text that is no Unicode',
    ],
    'a byte at a time': ['hostile/json: JSON that comes a byte at a time'],
    '10,000 parts, a list of 1 MB': ['complete-body-limit', 'complete-order'],
    'every parser is fuzzed': [
      'hostile/fuzz-inputs: every input of every operation takes any value',
      'hostile/fuzz-inputs: a list is refused, or kept as plain data',
    ],
  },
  'content that browsers run': {
    'sandbox and nosniff, and without them only with trustedContent': [
      'hostile/content: stored bytes are sandboxed',
    ],
    'opened in a real browser: nothing runs, the rest can be seen and heard': [
      'browser/content: what is stored runs no script',
      'browser/content: images, sound, PDF and text open',
      'browser/content: a page of the host cannot run what is stored',
    ],
    'errors and listings': ['hostile/content: texts of users come back in JSON only'],
  },
  'what answers and logs give away': {
    'no path, no stack, no cause': ['hostile/content: what the host is told of a failure'],
    'who may not read learns nothing': ['grant-hides', 'grant-hides-sources'],
  },
  'forged X-Forwarded headers': {
    'nothing is believed unless a proxy is trusted': [
      'hostile/content: forged X-Forwarded headers',
      'http/proxies: forged X-Forwarded-* headers change nothing',
    ],
    'only hosts below the base host name a bucket': [
      'http/proxies: only hosts below the base host',
      'http/own-host: the closest name of the storage',
      'http/own-host: a target in absolute form names the host',
      'http/own-host: X-Forwarded-Host leads to the storage only',
    ],
  },
};
