import { v1Verifier } from '@bucketware/signature';
import test from 'ava';
import { CREDENTIALS, hmac, NOW, PRINCIPAL, refused, SIGNER, TEMPORARY } from './fixtures.js';

type Fields = Readonly<Record<string, string>>;

const EXPIRATION = '2013-05-24T01:00:00Z';
const { verifyForm } = v1Verifier({ credentials: CREDENTIALS, headerPrefix: 'x-bce-' });

/** A form as the SDKs of the dialect create it. */
function signed(conditions: unknown, fields: Fields = {}, signer = SIGNER): Fields {
  const policy = Buffer.from(JSON.stringify({ expiration: EXPIRATION, conditions }));
  const encoded = policy.toString('base64');
  const signature = hmac(signer.secret, encoded).toString('hex');
  return { policy: encoded, signature, accessKey: signer.accessKey, key: 'user/a.png', ...fields };
}

const verify = (fields: Fields, now = NOW) =>
  verifyForm({ fields: Object.entries(fields), bucket: 'photos', now });

test('the caller of a form with a policy is its signer, and the policy limits the size of the file', async (t) => {
  const { accessKey } = SIGNER;
  const conditions = [{ bucket: 'photos' }, { key: 'user/*' }, ['content-length-range', 1, 9]];
  const extra = { 'Content-Type': 'image/png', 'x-bce-meta-a': '1' };
  t.deepEqual(await verify(signed(conditions, extra)), {
    ...{ principal: PRINCIPAL, accessKey },
    contentLengthRange: { min: 1, max: 9 },
  });
  const { principal } = await verify(signed([]));
  t.deepEqual(principal, PRINCIPAL);
  const token = { 'x-bce-security-token': TEMPORARY.sessionToken };
  const guest = await verify(signed([], token, TEMPORARY));
  t.is(guest.principal?.userId, 'guest');
  await refused(t, 'InvalidToken', () => verify(signed([], {}, TEMPORARY)));
});

test('a form without a policy is anonymous, even if it names an access key', async (t) => {
  const { accessKey } = SIGNER;
  t.is((await verify({ key: 'a', accessKey })).principal, undefined);
  for (const name of ['policy', 'signature', 'accessKey']) {
    const fields = Object.entries(signed([])).filter(([field]) => field !== name);
    await refused(t, 'InvalidArgument', () => verify(Object.fromEntries(fields)), name);
    await refused(t, 'InvalidArgument', () => verify(signed([], { [name]: '' })), name);
    const twice = signed([], { [name.toUpperCase()]: 'x' });
    await refused(t, 'InvalidArgument', () => verify(twice), name);
  }
});

test('a forged or expired form is rejected, and so is one that violates its policy', async (t) => {
  const other = signed([{ key: 'other' }]);
  const forged: readonly Fields[] = [
    signed([], { policy: other.policy ?? '' }),
    // Cut to a byte, it is the same character. Deno skips it in base64.
    signed([], {
      policy: (signed([]).policy ?? '').replace(/^./, (first) =>
        String.fromCharCode(first.charCodeAt(0) + 0x100),
      ),
    }),
    signed([], { signature: hmac('guess', 'x').toString('hex') }),
    signed([], { signature: (signed([]).signature ?? '').toUpperCase() }),
    signed([], { accessKey: TEMPORARY.accessKey }),
  ];
  for (const fields of forged) await refused(t, 'SignatureDoesNotMatch', () => verify(fields));
  await refused(t, 'InvalidAccessKeyId', () => verify(signed([], { accessKey: 'nobody' })));
  const expiry = Date.parse(EXPIRATION);
  t.truthy((await verify(signed([]), expiry - 1)).principal);
  await refused(t, 'RequestExpired', () => verify(signed([]), expiry));

  const unmet = [
    { bucket: 'other' },
    { bucket: 'photo' },
    { key: 'user' },
    { key: 'User/*' },
    { key: '*a.png' },
    { 'x-bce-meta-a': '1' },
    ['eq', '$key', 'user/*'],
    ['starts-with', '$key', 'user/*'],
  ];
  for (const condition of unmet) {
    const fields = signed([condition]);
    await refused(t, 'AccessDenied', () => verify(fields), JSON.stringify(condition));
  }
  for (const conditions of [undefined, {}, [1], [['like', '$key', 'a']]]) {
    await refused(t, 'InvalidPolicyDocument', () => verify(signed(conditions)));
  }
});
