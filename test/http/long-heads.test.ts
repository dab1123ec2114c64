import { setImmediate } from 'node:timers/promises';
import { s3 } from '@bucketware/s3';
import { toWebHandler } from '@bucketware/web';
import test, { type ExecutionContext } from 'ava';
import { alice, memoryStorage } from './servers.js';

const BUCKET = 'http://localhost/bucket';
const LONG = 'a'.repeat(8000);

/** Of a wrong signature. */
const time = `${new Date().toISOString().slice(0, 19)}Z`;
const zeros = '0'.repeat(64);

interface Sending {
  readonly handle?: (request: Request) => Promise<Response>;
  readonly query?: string;
  readonly signal?: AbortSignal;
}

async function begin(t: ExecutionContext) {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  await storage.as(alice).putObject({ bucket: 'bucket', key: 'key', body: 'x' });
  let identified = 0;
  const principal = () => {
    identified++;
    return alice;
  };
  const send = async (headers: Record<string, string>, { signal, ...to }: Sending) => {
    const request = new Request(`${BUCKET}/key${to.query ?? ''}`, {
      headers,
      ...(signal && { signal }),
    });
    const response = await (to.handle ?? handle)(request);
    return { status: response.status, text: await response.text() };
  };
  const handle = toWebHandler(storage, { principal, onError: () => {} });
  const sendMany = (count: number, headers: Record<string, string>, sending: Sending = {}) =>
    Promise.all(Array.from({ length: count }, () => send(headers, sending)));
  return { storage, sendMany, identified: () => identified };
}

test.serial('at most 1,000 long heads wait, and more get 503', async (t) => {
  const { sendMany, identified } = await begin(t);
  const answers = await sendMany(3000, { 'x-q': LONG });
  const refused = answers.filter(({ status }) => status === 503);
  t.true(refused.length > 0 && refused.length <= 2000, `${refused.length}`);
  t.true(refused.every(({ text }) => /Too many requests with long headers/.test(text)));
  t.is(identified(), 3000 - refused.length);
  t.true(answers.every(({ status }) => status === 503 || status === 200));
});

test.serial('a long head whose client has left waits no longer, and takes no room', async (t) => {
  const { sendMany, identified } = await begin(t);
  const controller = new AbortController();
  const left = sendMany(1000, { 'x-q': LONG }, { signal: controller.signal });
  // They reach their turns after the next poll of the event loop.
  await setImmediate();
  controller.abort();
  const before = identified();
  const answers = await sendMany(900, { 'x-q': LONG });
  t.true(answers.every(({ status }) => status === 200));
  await left;
  t.true(identified() - before - 900 < 500, `${identified() - before}`);
});

test.serial('the cookies and the token of a login do not make a head long', async (t) => {
  const { sendMany } = await begin(t);
  const answers = await sendMany(3000, { cookie: LONG, authorization: `Bearer ${LONG}` });
  t.true(answers.every(({ status }) => status === 200));
});

test.serial('a signature may cover the cookies, so they make the head long', async (t) => {
  const { storage, sendMany } = await begin(t);
  const credentials = { AKALICE: { secret: 'secret', principal: alice } };
  const options = { principal: () => undefined, onError: () => {} };
  const date = time.replace(/[-:]/g, '');
  const claim = `bce-auth-v1/AKALICE/${time}/1800/cookie;host/${zeros}`;
  const scope = `AKALICE/${date.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const list = 'cookie;host;x-amz-content-sha256;x-amz-date';
  const v4 = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${list}, Signature=${zeros}`;
  const ofV4 = { 'x-amz-date': date, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
  const json = toWebHandler(storage, { ...options, credentials });
  const amazon = toWebHandler(storage, { ...options, dialect: s3({ credentials }) });
  for (const [handle, query, headers] of [
    [json, '', { authorization: claim }],
    [json, `?authorization=${encodeURIComponent(claim)}`, {}],
    [amazon, '', { authorization: v4, ...ofV4 }],
  ] as const) {
    const sent = { cookie: LONG, ...headers };
    const answers = await sendMany(2500, sent, { handle, query });
    const statuses = new Set(answers.map(({ status }) => status));
    t.deepEqual([...statuses].sort(), [403, 503], answers[0]?.text);
  }
});

test.serial('a listing does not wait for all long heads that came before it', async (t) => {
  const { storage, sendMany } = await begin(t);
  const credentials = { AKALICE: { secret: 'secret', principal: alice } };
  const json = toWebHandler(storage, { principal: () => undefined, credentials });
  let answered = 0;
  const handle = async (request: Request) => {
    const response = await json(request);
    answered++;
    return response;
  };
  // To verify such a head takes so long that only a few fit into a turn.
  const authorization = `bce-auth-v1/AKALICE/${time}/1800/host;x-q/${zeros}`;
  const flood = sendMany(1000, { authorization, 'x-q': 'a "'.repeat(8000) }, { handle });
  await setImmediate();
  await storage.as(alice).listObjects({ bucket: 'bucket' });
  t.true(answered < 900, `${answered}`);
  const answers = await flood;
  t.is(answered, 1000);
  t.true(answers.every(({ status }) => status === 403));
});

const names = (count: number, separator = ','): string =>
  Array.from({ length: count }, (_, at) => `x-${String(at).padStart(4, '0')}`).join(separator);

test.serial('a list in a header with more items than any client sends is refused', async (t) => {
  const { storage } = await begin(t);
  const credentials = { AKALICE: { secret: 'secret', principal: alice } };
  const principal = () => alice;
  const json = toWebHandler(storage, { principal });
  const signed = toWebHandler(storage, { principal, credentials });
  const amazon = toWebHandler(storage, { principal, dialect: s3({ credentials }) });
  const preflight = { origin: 'https://app.test', 'access-control-request-method': 'PUT' };
  const v1 = (list: string) => `bce-auth-v1/AKALICE/${time}/1800/host;${list}/${zeros}`;
  for (const [handle, method, headers, expected] of [
    [json, 'PUT', { trailer: names(200) }, /^200/],
    [json, 'PUT', { trailer: names(201) }, /^400.*Trailer has too many names/],
    [json, 'OPTIONS', { ...preflight, 'access-control-request-headers': names(200) }, /^403/],
    [json, 'OPTIONS', { ...preflight, 'access-control-request-headers': names(201) }, /^400/],
    [signed, 'GET', { authorization: v1(names(900, ';')) }, /^403/],
    [signed, 'GET', { authorization: v1(names(1000, ';')) }, /^400.*too many signed headers/],
    [amazon, 'PUT', { 'x-amz-trailer': names(101) }, /^400.*x-amz-trailer has too many names/],
    [amazon, 'PUT', { 'x-amz-tagging': names(300, '=1&') }, /^400.*at most 10 tags/],
    [amazon, 'PUT', { 'x-amz-grant-read': `id=${names(300, ',id=')}` }, /^400.*at most 100/],
    [amazon, 'GET', { 'x-amz-object-attributes': 'ETag,'.repeat(201) }, /^400|^404/],
  ] as const) {
    const query = 'x-amz-object-attributes' in headers ? '?attributes' : '';
    const init = { method, headers: { 'content-length': '0', ...headers } };
    const request = new Request(`${BUCKET}/key${query}`, init);
    const response = await handle(request);
    t.regex(
      `${response.status} ${await response.text()}`,
      expected,
      JSON.stringify(headers).slice(0, 80),
    );
  }
});
