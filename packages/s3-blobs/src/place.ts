/** Where the blobs are, parsed from a URL. */
export interface Place {
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  /** The origin of the store. `undefined`: AWS. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  /** Whether the bucket is in the path of URLs instead of the host name. */
  readonly pathStyle: boolean;
}

const PARAMETERS = ['endpoint', 'region', 'pathStyle'];
const BUCKET = /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i;
const FORM = 's3://bucket/prefix?endpoint=https://host:port&region=name&pathStyle=true';

/** Throws a `TypeError` that contains no part of the URL that could be secret. */
export function parsePlace(url: string): Place {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || parsed.protocol !== 's3:') throw wrong(`it must look like ${FORM}`);
  const { username, password, hostname, port, pathname, searchParams, hash } = parsed;
  if (username !== '' || password !== '') {
    throw wrong(
      'credentials come from the environment, such as AWS_ACCESS_KEY_ID, not from the URL',
    );
  }
  if (!BUCKET.test(hostname) || port !== '')
    throw wrong(`its host must be the name of a bucket: ${FORM}`);
  if (hash !== '') throw wrong('it must not have a part after #. Percent-encode # in the prefix');
  for (const name of searchParams.keys()) {
    const isKnown = PARAMETERS.includes(name);
    if (!isKnown) throw wrong(`it has an unknown parameter. Known are ${PARAMETERS.join(', ')}`);
    if (searchParams.getAll(name).length > 1) throw wrong(`it has the parameter ${name} twice`);
  }
  const endpoint = searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined) checkEndpoint(endpoint);
  const region = searchParams.get('region') ?? (endpoint === undefined ? undefined : 'us-east-1');
  const pathStyle = searchParams.get('pathStyle') ?? String(endpoint !== undefined);
  if (!['true', 'false'].includes(pathStyle)) throw wrong('pathStyle must be true or false');
  return {
    ...{ bucket: hostname, prefix: prefixOf(pathname), endpoint, region },
    pathStyle: pathStyle === 'true',
  };
}

/** The name of a place for messages. */
export const nameOf = ({ bucket, endpoint }: Place): string =>
  `the bucket ${bucket} at ${endpoint === undefined ? 'AWS' : new URL(endpoint).origin}`;

function checkEndpoint(endpoint: string): void {
  const parsed = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isHttp = parsed !== undefined && ['http:', 'https:'].includes(parsed.protocol);
  if (!isHttp || parsed.username + parsed.password + parsed.search + parsed.hash !== '') {
    throw wrong(
      'its endpoint must be http:// or https:// with a host, without credentials or query',
    );
  }
}

function prefixOf(pathname: string): string {
  const prefix = decoded(pathname).replace(/^\/+|\/+$/g, '');
  if (Buffer.byteLength(prefix) > 900) throw wrong('its prefix is longer than 900 bytes');
  return prefix === '' ? '' : `${prefix}/`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw wrong('its prefix is not percent-encoded UTF-8');
  }
}

const wrong = (why: string): TypeError =>
  new TypeError(`The URL of the blobs is not valid: ${why}.`);
