/**
 * The kinds of attack that object storage and upload servers have suffered, and the proofs against
 * each: a case of the conformance suite by its id, or a test by its file and a part of its title.
 */
export const CLASSES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'path traversal: dots, escapes and other spellings of names': {
    'dots, slashes and escapes in the path': [
      'keys-odd',
      'keys-raw-dots',
      'keys-spellings',
      'keys-outside',
    ],
    'no file outside the storage, and none named by a user': [
      'more/hostile-keys: each valid key is a separate object',
      'more/hostile-inputs: no spelling in any input gives access to another bucket or a file',
    ],
    'invalid and overlong UTF-8, NUL, lone surrogates': [
      'keys-unreadable',
      'more/hostile-keys: an invalid key is rejected in every input',
    ],
    'lengths: 300-byte segments, 1,023 and 1,024 bytes': ['keys-length'],
    'names that differ in case or normal form, device names': [
      'keys-case-and-form',
      'more/hostile-keys: each valid key is a separate object',
    ],
    'host style and a bucket in the host': [
      'host-style-keys',
      'host-style-bad-name',
      'host-style-host',
    ],
    'copy source, rename source, batch, markers, prefix, delimiter': [
      'more/hostile-keys: each valid key is a separate object',
      'more/hostile-inputs: no spelling in any input',
      'list-odd-prefix',
      'list-uploads-hostile-markers',
    ],
    'upload id, part number, version': [
      'more/hostile-inputs: no spelling in any input',
      'unoffered-object-query',
    ],
    'no mount changes the path': ['http/mounting-koa: koa-mount', 'http/mounting-express: app.use'],
  },
  'requests that are parsed twice with different results': {
    'the checked resource is the one used': [
      'hostile/targets: the resource whose access was checked',
    ],
    'the app and the storage see the same path': [
      'http/logins-by-path: no spelling of a path gets past a login of the app',
      'headers-absolute-form',
    ],
    'access is checked once for each target, source and member': [
      'hostile/targets: every operation checks access exactly once for each permission',
      'http/access-hooks: copies and renames check access once',
      'http/hooks: authorize is called once for each object of a batch',
    ],
    'rejected before anything is read': [
      'hostile/targets: after access is denied',
      'access-before-input',
    ],
    'repeated headers, and headers after 1,000 others': [
      'hostile/headers: a header that an operation reads is rejected if it is repeated',
      ...['headers-twice-put', 'headers-twice-get', 'headers-two-hosts', 'headers-too-many'],
    ],
    'absolute form, two lengths, requests within a body': [
      'headers-absolute-form',
      'body-two-framings',
      'body-smuggling',
    ],
  },
  'races: changes during a request': {
    'a new bucket with the same name, a revoked permission': [
      'hostile/admitted: a bucket that takes the name of another is not touched',
      'hostile/admitted: a right that was taken back is gone',
      'hostile/slow-bodies: requests that wait while a bucket gets a new owner do not affect the new bucket',
      'hostile/slow-bodies: authorize is called again if the body took more than a second',
    ],
    'an object that is replaced between access check and commit': [
      'http/access-hooks: copies and renames check access once',
    ],
    'pipelined requests, and clients that disconnect': [
      'more/pipelining: pipelined requests get their responses in order',
      'http/leaving-clients: the signal of a request aborts',
      'http/copy-turns: a copy ends and creates nothing if its client disconnects',
    ],
  },
  'permissions that allow more than intended': {
    'lists that a writer sets with another operation': [
      'http/rights: a caller with only WRITE cannot set the list',
      'http/rights: completing an upload with a list requires permission to set the list',
    ],
    'users of other tenants with the same id': ['http/rights: a user id applies within its tenant'],
    'malformed principals': ['http/principals: a principal is rejected'],
    'circumvention of a Deny': ['http/rights: a Deny of the bucket overrides'],
    'conditions and empty appends that reveal objects': [
      'http/rights: conditions and appends reveal nothing',
    ],
    'public access': ['http/rights: blockPublicAccess'],
  },
  'unknown input that is ignored': {
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
    'upload forms: growing fields, conditions, a second file, a missing end': [
      'hostile/forms: a repeated placeholder for a name does not make a form larger',
      'hostile/forms: a form with two files stores neither',
      'http/forms: a form with unsupported fields, or one that is malformed, stores nothing',
      's3/form: unsupported fields of a form are rejected',
    ],
    'forms and scripts that change stored data': [
      'http/cross-site: a change from another site is rejected before the caller is identified',
      'http/cross-site: behind a proxy',
    ],
  },
  amplification: {
    'objects with more and more segments': [
      'http/segments: parts of several segments are joined',
      'http/segments: appends after many openings join small segments',
    ],
    'copies that cost more than requested': [
      'http/segments: of a blob that cannot be shared',
      'http/copy-turns: four copies of a caller run at a time',
    ],
    'buckets with many unfinished uploads': ['http/many-uploads: a bucket with 100,000 unfinished'],
    'listings and batches that block other requests': ['http/copy-turns: a long listing'],
    'waiting batches and their responses': [
      'http/work-turns: waiting batches count against the memory limit of their caller',
      's3/xml-memory: the response about deleted objects is sent even if it exceeds the memory limit',
    ],
    'bodies that arrive too slowly or are too deep': [
      'http/json-timeout: JSON that arrives steadily but too late is 408',
      'http/json-timeout: form fields that arrive steadily but too late are 408',
      's3/read: other work gets its turn while a body in memory is read',
      's3/read: bytes, text, depth and number',
    ],
    'unread results': ['http/programmatic-bodies: unread results keep no file open'],
  },
  'leaks through drivers': {
    'files that other users can read': [
      'drivers/file-modes: all that a storage writes is for its own',
    ],
    'passwords in errors': ['drivers/passwords: no error contains the password'],
    'a metadata store that returns wrong data': ['keyv/lying: a page of'],
  },
  'header injection through stored headers and metadata': {
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
    'signatures are not checked if the host identifies callers': [
      'access-forged',
      'preflight-anybody',
    ],
    'no signature is valid for another object, or for more than was signed': [
      'signature/moved-headers: a link is valid only as signed',
      'signature/moved-places: no forwarded prefix makes the signature',
      'signature/moved-places: no forwarded host makes the signature',
      'signature/own-login: a link that the host verifies allows no unsigned header of the service',
    ],
    'an access key belongs to one user, or is rejected': [
      'signature/credentials: invalid credentials are rejected at once',
      'signature/credentials: a request whose looked-up credential is invalid fails with the reason',
    ],
    'a failing login or access rule denies access': [
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
      'more/hostile-inputs: no spelling in any input',
      'list-max-keys-strict',
    ],
    'parsing never takes long': ['hostile/timing: no text of the allowed size takes long'],
  },
  'bodies that are false, stall or break off': {
    'announced, chunked, malformed, too large': [
      'hostile/bodies: no body with false length or digest is stored',
      ...[
        'cut-announced-end',
        'cut-chunked-reset',
        'cut-chunked-malformed',
        'put-object-too-large',
      ],
    ],
    'S3 bodies in chunks: false, very many, kept by a parser': [
      's3/bodies: a body whose chunks are malformed is rejected at once',
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
    'rejected before they are read': ['body-early-refusal', 'body-access-before-bytes'],
  },
  'JSON and lists': {
    'nested, repeated, polluting, malformed, too large': [
      'more/hostile-json: no JSON breaks an operation',
      'more/hostile-json: the last of repeated names is used',
      'more/hostile-json: text that is not valid Unicode is rejected in every list',
    ],
    'byte by byte': ['more/hostile-json: JSON that arrives byte by byte'],
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
    'opened in a real browser: nothing runs, and media can be played': [
      'browser/content: a stored object runs no script when it is opened',
      'browser/content: images, sound, PDF and text open',
      'browser/content: a page of the host cannot run',
    ],
    'errors and listings': ['hostile/content: text from users is returned only'],
  },
  'leaks through responses and logs': {
    'no path, no stack, no cause': ['hostile/content: onError gets no credentials'],
    'callers without READ learn nothing': ['grant-hides', 'grant-hides-sources'],
  },
  'forged X-Forwarded headers': {
    'forwarded headers are used only behind a trusted proxy': [
      'hostile/content: forged X-Forwarded headers',
      'http/proxies: forged X-Forwarded-* headers have no effect if no proxy is trusted',
    ],
    'only hosts below the base host contain a bucket': [
      'http/proxies: only hosts below the base host',
      'http/own-host: the longest matching host name applies',
      'http/own-host: a request target in absolute form is refused at the host of the storage',
      'http/own-host: X-Forwarded-Host is used only behind a trusted proxy',
    ],
  },
};
