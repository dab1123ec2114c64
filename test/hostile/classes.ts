/**
 * The kinds of attack that object storage and upload servers have suffered, and the proofs against
 * each: a case of the conformance suite by its id, or a test by its file and a part of its title.
 */
export const CLASSES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'names that lead elsewhere: paths, escapes, other spellings': {
    'dots, slashes and escapes in the path': ['keys-odd', 'keys-raw-dots', 'keys-spellings'],
    'no file outside the storage, none with a name of a user': [
      'hostile/keys: each valid key is a separate object',
      'hostile/inputs: no spelling in any input gives access to another bucket or a file',
    ],
    'invalid and overlong UTF-8, NUL, half characters': [
      'keys-unreadable',
      'hostile/keys: an invalid key is rejected in every input',
    ],
    'lengths: 300-byte segments, 1,023 and 1,024 bytes': ['keys-length'],
    'case twins, both forms of é, device names': [
      'keys-case-and-form',
      'hostile/keys: each valid key is a separate object',
    ],
    'host style and a bucket in the host': [
      'host-style-keys',
      'host-style-bad-name',
      'host-style-host',
    ],
    'copy source, rename source, batch, markers, prefix, delimiter': [
      'hostile/keys: each valid key is a separate object',
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
    'authorised is what is touched': ['hostile/targets: the resource whose access was checked'],
    'each operation asks once about each target, source and member': [
      'hostile/targets: every operation checks access exactly once for each resource that it uses',
      'http/access-hooks: copies and renames check access once',
      'http/hooks: authorize is called once for each object of a batch',
    ],
    'refused before anything is read': [
      'hostile/targets: after access is denied',
      'access-before-input',
    ],
    'headers twice, and hidden behind 1,000 others': [
      'hostile/headers: a header that an operation reads is rejected if it is repeated',
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
      'hostile/dawdling: requests that wait while a bucket gets a new owner do not affect the new bucket',
      'hostile/dawdling: authorize is called again if the body took more than a second',
    ],
    'an object that is replaced between question and commit': [
      'http/access-hooks: copies and renames check access once',
    ],
    'requests sent ahead on one connection, and clients that leave': [
      'http/pipelining: pipelined requests get their responses in order',
      'http/leaving-clients: the signal of a request aborts',
      'http/copy-turns: a copy ends and creates nothing if its client disconnects',
    ],
  },
  'rights that reach further than they say': {
    'lists that a writer sets with another operation': [
      'http/rights: a caller with only WRITE cannot set the list',
      'http/rights: completing an upload with a list requires permission to set the list',
    ],
    'users of other tenants with the same id': ['http/rights: a user id applies within its tenant'],
    'principals of a wrong shape': ['http/principals: a principal is rejected'],
    'a Deny that is got round': ['http/rights: a Deny of the bucket overrides'],
    'conditions and empty appends that tell what is there': [
      'http/rights: conditions and appends reveal nothing',
    ],
    'everything public': ['http/rights: blockPublicAccess'],
  },
  'what is unknown and ignored': {
    'parameters, headers and conditions of every operation': [
      'hostile/unread: no operation ignores input that would change its meaning',
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
      'http/forms: a form with unsupported fields, or one that is malformed, stores nothing',
      's3/form: unsupported fields of a form are rejected',
    ],
    'forms and scripts that change what is stored': [
      'http/cross-site: a change from another site is rejected before the caller is identified',
      'http/cross-site: behind a proxy',
    ],
  },
  amplification: {
    'objects of ever more segments': [
      'http/segments: parts of several segments are joined',
      'http/segments: appends after many openings join small segments',
    ],
    'copies that cost more than they ask for': [
      'http/segments: of a blob that cannot be shared',
      'http/copy-turns: four copies of a caller run at a time',
    ],
    'buckets with very many uploads': ['http/many-uploads: a bucket with 100,000 unfinished'],
    'listings and batches that keep others waiting': ['http/copy-turns: a long listing'],
    'batches that wait, and what they are answered': [
      'http/work-turns: waiting batches count against the memory limit of their caller',
      's3/xml-memory: the response about deleted objects is sent even if it exceeds the memory limit',
    ],
    'bodies that come too slowly, too deep': [
      'http/json-timeout: JSON that arrives steadily but too late is 408',
      'http/json-timeout: form fields that arrive steadily but too late are 408',
      's3/read: other work gets its turn while a body in memory is read',
      's3/read: bytes, text, depth and number',
    ],
    'results that nobody reads': ['http/programmatic-bodies: unread results keep no file open'],
  },
  'drivers and what they tell': {
    'files that others may read': ['drivers/file-modes: all that a storage writes is for its own'],
    'passwords in errors': ['drivers/passwords: no error contains the password'],
    'a record store that lies': ['keyv/lying: a page of'],
  },
  'headers and metadata that become part of an answer': {
    'CR, LF, NUL and every other byte': [
      'hostile/headers: each of the 256 bytes',
      'hostile/headers: no character of an override splits the response',
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
      'signature/moved-headers: a link is valid only as signed',
      'signature/moved-places: no forwarded prefix makes the signature',
      'signature/moved-places: no forwarded host makes the signature',
      'signature/own-login: a link that the host verifies allows no unsigned header of the service',
    ],
    'an access key is of one user, or refused': [
      'signature/credentials: invalid credentials are rejected at once',
      'signature/credentials: a request whose looked-up credential is invalid fails with the reason',
    ],
    'a login or rule that fails lets nobody in': [
      'http/hooks: if principal throws',
      'http/hooks: if authorize throws',
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
    'none takes long': ['hostile/timing: no text of the allowed size takes long'],
  },
  'bodies that lie, stall or break off': {
    'announced, chunked, malformed, too large': [
      'hostile/bodies: no body with false length or digest is stored',
      ...[
        'cut-announced-end',
        'cut-chunked-reset',
        'cut-chunked-malformed',
        'put-object-too-large',
      ],
    ],
    'bodies in chunks of S3: not what they say, very many, kept by a parser': [
      's3/bodies: a body that stops being in chunks is rejected at once',
      's3/bodies: a body is compared with its checksums',
      'signature/s3-payload: small chunks are joined, and too many',
    ],
    'read, decoded or dropped before the storage reads them': [
      'http/parsed-bodies: a body is never truncated',
      'http/decoded-bodies: a body that the app has decoded',
      'http/web-listened-bodies: a body is never truncated',
      'http/shared-streams: is stored completely or rejected',
      'http/answered-by-the-app: an upload whose request the app has answered',
      'client/mistakes: a stream that was read elsewhere',
    ],
    'slow and stalled': ['hostile/bodies: slow and stalled bodies'],
    'refused before they are taken in': ['body-early-refusal', 'body-access-before-bytes'],
  },
  'JSON and lists': {
    'nested, doubled, polluting, broken, too large': [
      'hostile/json: no JSON breaks an operation',
      'hostile/json: the last of repeated names is used',
      'hostile/json: text that is not valid Unicode is rejected in every list',
    ],
    'a byte at a time': ['hostile/json: JSON that arrives byte by byte'],
    '10,000 parts, a list of 1 MB': ['complete-body-limit', 'complete-order'],
    'every parser is fuzzed': [
      'hostile/fuzz-inputs: every input of every operation accepts or rejects any value',
      'hostile/fuzz-inputs: a list is rejected',
    ],
  },
  'content that browsers run': {
    'sandbox and nosniff, and without them only with trustedContent': [
      'hostile/content: stored bytes are sandboxed',
    ],
    'opened in a real browser: nothing runs, the rest can be seen and heard': [
      'browser/content: a stored object runs no script when it is opened',
      'browser/content: images, sound, PDF and text open',
      'browser/content: a page of the host cannot run',
    ],
    'errors and listings': ['hostile/content: text from users is returned only'],
  },
  'what answers and logs give away': {
    'no path, no stack, no cause': ['hostile/content: onError gets no credentials'],
    'who may not read learns nothing': ['grant-hides', 'grant-hides-sources'],
  },
  'forged X-Forwarded headers': {
    'nothing is believed unless a proxy is trusted': [
      'hostile/content: forged X-Forwarded headers',
      'http/proxies: forged X-Forwarded-* headers have no effect if no proxy is trusted',
    ],
    'only hosts below the base host contain a bucket': [
      'http/proxies: only hosts below the base host',
      'http/own-host: the longest matching host name applies',
      'http/own-host: a request target in absolute form determines the host',
      'http/own-host: X-Forwarded-Host is used only behind a trusted proxy',
    ],
  },
};
