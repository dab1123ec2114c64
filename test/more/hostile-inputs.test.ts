import type { OutgoingHttpHeaders } from 'node:http';
import test from 'ava';
import { SPELLINGS, VAULT } from '../hostile/corpus.js';
import { codeOf, headerOf } from '../hostile/scan.js';
import { BASE_HOST, ON_DISK, stage } from '../hostile/stage.js';

interface Row {
  readonly method: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

/** Every input that names something, with the given text in it. */
function inputs(text: string, uploadId: string): Row[] {
  const query = encodeRest(text);
  const latin = Buffer.from(text, 'utf8').toString('latin1');
  const json = JSON.stringify(text);
  const on = `/bucket/up?uploadId=${uploadId}`;
  const copy = (source: string): OutgoingHttpHeaders => ({
    'content-length': 0,
    'x-svc-copy-source': source,
  });
  const get = (path: string): Row => ({ method: 'GET', path });
  const row = (method: string, path: string, more: Partial<Row> = {}): Row => ({
    ...{ method, path },
    ...more,
  });
  const body = (path: string, text: string): Row => ({ method: 'PUT', path, body: text });
  const host = { host: `bucket.${BASE_HOST}` };
  return [
    // The key in the path.
    ...['GET', 'HEAD', 'DELETE'].map((method) => row(method, `/bucket/${query}`)),
    row('PUT', `/bucket/${query}`, { body: 'scratch' }),
    ...['uploads', 'append', 'acl'].map((flag) => row('POST', `/bucket/${query}?${flag}`)),
    row('OPTIONS', `/bucket/${query}`, { headers: { origin: 'http://x' } }),
    row('GET', `/${query}`, { headers: host }),
    row('PUT', `/${query}`, { headers: host, body: 'scratch' }),
    // The bucket in path and host.
    ...['GET', 'HEAD', 'PUT', 'DELETE', 'POST'].map((method) => row(method, `/${query}`)),
    ...[get(`/${query}/secret`), get(`/v1/${query}`), get(`${query}/vault/secret`)],
    row('GET', '/secret', {
      headers: { host: `${query.replace(/[^\x21-\x7e]/g, '')}.${BASE_HOST}` },
    }),
    // Sources.
    ...[
      latin,
      `/bucket/${latin}`,
      `/${latin}/secret`,
      `bucket/${latin}?versionId=${latin}`,
    ].flatMap((source) => [
      row('PUT', '/bucket/copy', { headers: copy(source) }),
      row('PUT', `${on}&partNumber=1`, { headers: copy(source) }),
    ]),
    row('POST', '/bucket/renamed', { headers: { 'x-svc-rename-key': latin } }),
    // Ids, numbers and versions.
    ...['GET', 'DELETE', 'POST', 'PUT'].map((method) =>
      row(method, `/bucket/up?uploadId=${query}&partNumber=1`, { body: '{}' }),
    ),
    row('GET', `/bucket/up?uploadId=${query}`),
    row('DELETE', `/bucket/up?uploadId=${query}`),
    row('PUT', `${on}&partNumber=${query}`, { body: 'part' }),
    ...['GET', 'PUT', 'DELETE'].map((method) => row(method, `/bucket/up?versionId=${query}`)),
    row('POST', `/bucket/log?append&offset=${query}`, { body: 'line' }),
    // Listings.
    ...['prefix', 'marker', 'delimiter', 'maxKeys'].map((name) => get(`/bucket?${name}=${query}`)),
    ...['prefix', 'keyMarker', 'uploadIdMarker', 'delimiter', 'maxUploads'].map((name) =>
      get(`/bucket?uploads&${name}=${query}`),
    ),
    get(`/bucket?uploads&keyMarker=${query}&uploadIdMarker=${query}&prefix=${query}`),
    get(`${on}&partNumberMarker=${query}&maxParts=${query}`),
    get(`/bucket/here?responseContentDisposition=${query}`),
    get(`/bucket?${query}`),
    get(`/bucket/here?${query}=${query}`),
    // Names in JSON.
    row('POST', '/bucket?delete', { body: `{"objects":[{"key":${json}}]}` }),
    row('POST', '/bucket?delete', { body: `{"objects":[{"key":"none","versionId":${json}}]}` }),
    row('POST', on, { body: `{"parts":[{"partNumber":1,"eTag":${json}}]}` }),
    body('/other?lifecycle', ruleOf(json)),
    body('/other?acl', grantOf(json)),
    body('/bucket/here?acl', grantOf(json)),
    body(
      '/other?cors',
      `{"corsConfiguration":[{"allowedOrigins":[${json}],"allowedMethods":["GET"]}]}`,
    ),
  ];
}

const ruleOf = (json: string): string =>
  `{"rule":[{"id":${json},"status":"disabled","resource":["other/",${json}],"condition":{},` +
  '"action":{"name":"DeleteObject"}}]}';

const grantOf = (json: string): string =>
  `{"accessControlList":[{"grantee":[{"id":${json}}],"permission":["READ"],"resource":[${json}]}]}`;

/** Encodes text for a path or query. What is already encoded stays unchanged. */
const encodeRest = (text: string): string => text.replace(/[^\x21-\x7e]|"/g, encodeURIComponent);

/** Such operations succeed even if the input names nothing. */
const ANSWERED = new Set([200, 204, 206, 304]);

for (const [name, carrier, onDisk] of ON_DISK) {
  test(`${name}: no spelling in any input gives access to another bucket or a file, or causes a failure`, async (t) => {
    const on = await stage(t, carrier, onDisk);
    const { uploadId } = await on.storage.initiateMultipartUpload({ bucket: 'bucket', key: 'up' });
    await on.storage.putObject({ bucket: 'bucket', key: 'here', body: 'here' });
    const odd: string[] = [];
    let requests = 0;
    for (const text of SPELLINGS) {
      const rows = inputs(text, uploadId);
      requests += rows.length;
      await Promise.all(
        rows.map(async ({ method, path, headers = {}, body }) => {
          const answer = await on.send(method, path, {
            headers,
            ...(body === undefined ? undefined : { body }),
          });
          const { status } = answer;
          const refused = status >= 400 && (status < 500 || codeOf(answer) === 'NotImplemented');
          // A response to HEAD has only a status.
          const bare = method === 'HEAD' && status >= 400 && status < 500;
          if (!ANSWERED.has(status) && !refused && !bare) odd.push(`${status} ${method} ${path}`);
          if (status === 200 && headerOf(answer, 'x-svc-request-id') === undefined) odd.push(path);
        }),
      );
    }
    t.true(SPELLINGS.length >= 60);
    t.true(requests > 4000, `${requests} requests`);
    t.deepEqual(odd, []);
    // The access checks for the vault. There may be one only if the request really names the vault.
    const about = on.takeQuestions().filter(({ bucket }) => bucket === VAULT.bucket);
    t.deepEqual(
      about.filter(({ allowed }) => allowed),
      [],
    );
    t.true(about.length > 0);
    await on.seal();
  });
}
