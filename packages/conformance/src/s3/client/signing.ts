import { createHash, createHmac } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Unsigned } from '../../client/spelling.js';
import type { Caller } from '../../http/server.js';

/** The access keys that the servers under test know. */
const KEYS = {
  alice: ['AKALICE', 'the secret of alice'],
  bob: ['AKBOB', 'the secret of bob'],
} as const;

const REGION = 'us-east-1';
const hmac = (key: string | Buffer, text: string) =>
  createHmac('sha256', key).update(text, 'latin1').digest();
const sha256 = (text: string) => createHash('sha256').update(text, 'latin1').digest('hex');

/** The headers of a request, signed by the caller with Signature Version 4 but without its body. */
export function signed(
  { method, host, path, headers }: Unsigned,
  caller: Caller,
): OutgoingHttpHeaders {
  if (caller === 'anonymous') return headers;
  const [accessKey, secret] = KEYS[caller];
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const payload = String(headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD');
  const sent = { ...headers, host, 'x-amz-date': time, 'x-amz-content-sha256': payload };
  const own = Object.entries(sent)
    .map(([name, value]) => [name.toLowerCase(), `${value}`.trim()] as const)
    .filter(([name]) => name === 'host' || name.startsWith('x-amz-'))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const names = own.map(([name]) => name).join(';');
  const [raw = '', query = ''] = path.split('?');
  const canonical = [
    ...[method, raw, queryOf(query)],
    ...[own.map(([name, value]) => `${name}:${value}\n`).join(''), names, payload],
  ];
  const scope = [time.slice(0, 8), REGION, 's3', 'aws4_request'];
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical.join('\n'))];
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secret}`);
  const signature = hmac(key, text.join('\n')).toString('hex');
  const credential = `Credential=${accessKey}/${scope.join('/')}`;
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...sent, authorization };
}

const queryOf = (query: string): string =>
  query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .sort()
    .join('&');
