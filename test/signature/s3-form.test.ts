import { createHmac } from 'node:crypto';
import test from 'ava';
import {
  CREDENTIALS,
  hmac,
  NOW,
  PRINCIPAL,
  refused,
  SIGNER,
  TEMPORARY,
  verifier,
} from './fixtures.js';

const POLICY = {
  expiration: '2013-05-24T01:00:00.000Z',
  conditions: [
    { bucket: 'photos' },
    ['starts-with', '$key', 'user/'],
    { acl: 'private' },
    ['StArTs-WiTh', '$Content-Type', 'image/'],
    ['content-length-range', 1, '1024'],
    ['starts-with', '$x-amz-credential', ''],
    ['starts-with', '$x-amz-algorithm', ''],
    ['starts-with', '$x-amz-date', ''],
    ['starts-with', '$x-amz-security-token', ''],
  ] as unknown[],
};
const FIELDS = { key: 'user/a.png', acl: 'private', 'Content-Type': 'image/png' };

const encode = (policy: unknown): string =>
  Buffer.from(typeof policy === 'string' ? policy : JSON.stringify(policy)).toString('base64');

function current(policy: unknown, fields: Readonly<Record<string, string>> = {}, signer = SIGNER) {
  const encoded = encode(policy);
  const key = ['us-east-1', 's3', 'aws4_request'].reduce(
    hmac,
    hmac(`AWS4${signer.secret}`, '20130524'),
  );
  return {
    ...FIELDS,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${signer.accessKey}/20130524/us-east-1/s3/aws4_request`,
    'X-Amz-Date': '20130524T000000Z',
    'X-Amz-Signature': hmac(key, encoded).toString('hex'),
    Policy: encoded,
    ...fields,
  };
}

function old(policy: unknown, fields: Readonly<Record<string, string>> = {}) {
  const encoded = encode(policy);
  const signature = createHmac('sha1', SIGNER.secret).update(encoded).digest('base64');
  return { ...FIELDS, AWSAccessKeyId: SIGNER.accessKey, signature, policy: encoded, ...fields };
}

const verify = (fields: Readonly<Record<string, string>>, { bucket = 'photos', now = NOW } = {}) =>
  verifier.verifyForm({ fields: Object.entries(fields), bucket, now });

test('a policy with other characters than those of base64 has no signature', async (t) => {
  for (const sign of [current, old]) {
    const fields: Record<string, string> = sign(POLICY);
    const name = 'Policy' in fields ? 'Policy' : 'policy';
    const policy = fields[name] ?? '';
    for (const at of [0, 40, policy.length - 3]) {
      // Cut to a byte, it is the same character. Deno skips it in base64.
      const raised = String.fromCharCode(policy.charCodeAt(at) + 0x100);
      const forged = policy.slice(0, at) + raised + policy.slice(at + 1);
      await refused(t, 'SignatureDoesNotMatch', () => verify({ ...fields, [name]: forged }));
    }
  }
});

test('a form signed with version 4 or 2 is accepted, with the size limits of its file', async (t) => {
  for (const sign of [current, old]) {
    t.deepEqual(await verify(sign(POLICY)), {
      principal: PRINCIPAL,
      accessKey: SIGNER.accessKey,
      contentLengthRange: { min: 1, max: 1024 },
    });
  }
  const guest = current(POLICY, { 'x-amz-security-token': TEMPORARY.sessionToken }, TEMPORARY);
  t.deepEqual((await verify(guest)).principal, CREDENTIALS[TEMPORARY.accessKey]?.principal);
  await refused(t, 'InvalidToken', () => verify(current(POLICY, {}, TEMPORARY)));
});

test('a form without a policy is anonymous, and one with an incomplete signature is rejected', async (t) => {
  t.is((await verify(FIELDS)).principal, undefined);
  const whole = current(POLICY);
  for (const name of [
    'X-Amz-Algorithm',
    'X-Amz-Credential',
    'X-Amz-Date',
    'X-Amz-Signature',
    'Policy',
  ]) {
    const { [name as never]: _, ...rest } = whole;
    await refused(t, 'InvalidArgument', () => verify(rest), name);
  }
  for (const name of ['AWSAccessKeyId', 'signature', 'policy']) {
    const { [name as never]: _, ...rest } = old(POLICY);
    await refused(t, 'InvalidArgument', () => verify(rest), name);
  }
  await refused(t, 'InvalidArgument', () => verify({ ...current(POLICY), ...old(POLICY) }));
  await refused(t, 'InvalidArgument', () => verify(current(POLICY, { KEY: 'other' })));
});

test('a signature for another policy, key, day, region or service is rejected', async (t) => {
  const other = { Policy: encode({ ...POLICY, expiration: '2033-05-24T00:00:00Z' }) };
  await refused(t, 'SignatureDoesNotMatch', () => verify(current(POLICY, other)));
  await refused(t, 'SignatureDoesNotMatch', () => verify(old(POLICY, { signature: 'AAAA' })));
  await refused(t, 'InvalidAccessKeyId', () => verify(old(POLICY, { AWSAccessKeyId: 'nobody' })));
  const credential = current(POLICY)['X-Amz-Credential'];
  const altered = (from: string, to: string) => () =>
    verify(current(POLICY, { 'X-Amz-Credential': credential.replace(from, to) }));
  await refused(t, 'InvalidAccessKeyId', altered('AKIA', 'AKIB'));
  await refused(t, 'InvalidArgument', altered('20130524', '20130523'));
  await refused(t, 'InvalidArgument', altered('/s3/', '/sqs/'));
  await refused(t, 'AuthorizationQueryParametersError', altered('us-east-1', 'eu-west-1'));
});

test('a form signed for one bucket cannot upload into another, whatever its fields (Ceph CVE-2023-43040)', async (t) => {
  for (const sign of [current, old]) {
    await refused(t, 'AccessDenied', () => verify(sign(POLICY), { bucket: 'secrets' }));
    const field = sign(POLICY, { bucket: 'photos' });
    await refused(t, 'AccessDenied', () => verify(field, { bucket: 'secrets' }));
  }
});

test('every field needs a condition, and every condition is checked (RustFS 984, Supabase PR 1211)', async (t) => {
  const denied = (fields: Readonly<Record<string, string>>) =>
    refused(t, 'AccessDenied', () => verify(current(POLICY, fields)), JSON.stringify(fields));
  await denied({ key: 'other/a.png' });
  await denied({ acl: 'public-read' });
  await denied({ 'Content-Type': 'text/html' });
  await denied({ 'Content-Type': 'image/png, text/html' });
  await denied({ 'x-amz-meta-a': '1' });
  await denied({ success_action_redirect: 'http://evil.example' });
  await verify(current(POLICY, { 'x-ignore-this': '1', 'x-amz-checksum-crc32': 'AAAAAA==' }));
  const conditions = POLICY.conditions.filter((condition) => !('bucket' in (condition as object)));
  await refused(t, 'AccessDenied', () => verify(current({ ...POLICY, conditions })));
});

test('an expired policy is rejected, and so is one of eight days', async (t) => {
  const end = Date.parse(POLICY.expiration);
  await verify(old(POLICY), { now: end - 1 });
  await refused(t, 'AccessDenied', () => verify(old(POLICY), { now: end }));
  const long = { ...POLICY, expiration: '2033-05-24T00:00:00Z' };
  await verify(current(long), { now: NOW + 604_800_000 });
  await refused(t, 'AccessDenied', () => verify(current(long), { now: NOW + 604_800_001 }));
  await refused(t, 'AccessDenied', () => verify(current(long), { now: NOW - 900_001 }));
});

test('a malformed policy is rejected', async (t) => {
  const { expiration, conditions } = POLICY;
  const lists = [
    [{}],
    [1],
    [null],
    ['eq'],
    [['eq', '$key']],
    [['like', '$key', 'a']],
    [['eq', 'key', 'a']],
    [['content-length-range', 0]],
    [['content-length-range', -1, 0]],
    [['content-length-range', 0, 1.5]],
    [{ acl: 1 }],
  ];
  const policies: unknown[] = [
    ...lists.map((added) => ({ expiration, conditions: [...conditions, ...added] })),
    { expiration },
    { conditions },
    { expiration: '2013-05-24 01:00:00', conditions },
    { expiration: '2013-02-31', conditions },
    { EXPIRATION: expiration, conditions },
    { expiration, CONDITIONS: conditions },
    '{"expiration":',
    'null',
    '[]',
  ];
  for (const policy of policies) {
    await refused(t, 'InvalidPolicyDocument', () => verify(old(policy)), JSON.stringify(policy));
  }
});
