import { inspect } from 'node:util';
import { openStorage } from '@bucketware/storage';
import test from 'ava';

/** No server listens there. */
const NOBODY = '127.0.0.1:1';

/** A message, its stack and all of its causes, as a log shows them. */
const shown = (error: unknown): string =>
  error instanceof Error
    ? [String(error), error.stack, inspect(error, { depth: 20, showHidden: true })].join('\n') +
      shown(error.cause)
    : String(error);

const open = (config: object) => openStorage({ directory: '.', blobs: 'memory', ...config });

/** Each URL has `hunter` and `topsecret` where only a careless log would show them. */
const URLS: readonly string[] = [
  // A Redis that does not respond takes ten seconds to fail.
  ...['postgres', 'postgresql'].flatMap((scheme) => [
    `${scheme}://hunter:topsecret@${NOBODY}/app`,
    `${scheme}://hunter:top%73ecret@${NOBODY}/app`,
    `${scheme}://hunter:topsecret%@${NOBODY}/app`,
    `${scheme}://:topsecret@${NOBODY}`,
    `${scheme}://topsecret@${NOBODY}`,
    `${scheme}://\thunter:topsecret@${NOBODY}/app`,
  ]),
  ...['postgres', 'redis', 'rediss'].flatMap((scheme) => [
    `${scheme}://hunter:topsecret#1@${NOBODY}/app`,
    `${scheme}://hunter:topsecret/1@${NOBODY}/app`,
    `${scheme}://hunter:topsecret?1@${NOBODY}/app`,
    `${scheme}://hunter:1/topsecret@${NOBODY}/app`,
    `${scheme}://hunter:1@topsecret@${NOBODY}/app`,
    `${scheme}://hunter:topsecret:@${NOBODY}:x/app`,
    `${scheme}://hunter:topsecret#x`,
    `${scheme}://hunter:topsecret`,
    `${scheme}:hunter:topsecret@${NOBODY}/app`,
    `${scheme}:/hunter:topsecret@${NOBODY}/app`,
    `${scheme}://${NOBODY}/app#topsecret`,
  ]),
  `postgres://${NOBODY}/app?user=hunter&password=topsecret`,
  `postgres://${NOBODY}/app?password=topsecret#x`,
  `postgres://hunter:topsecret@/app?host=127.0.0.1&port=1`,
  `postgres://${NOBODY}/app?sslpassword=top%73ecret`,
  `postgres://${NOBODY}/app?sslmode=verify-full&sslkey=/topsecret/key`,
  `POSTGRES://hunter:topsecret@${NOBODY}/app`,
  `mongodb://hunter:topsecret@${NOBODY}/app`,
  `mysql+ssl://hunter:topsecret@${NOBODY}/app`,
  'hunter:topsecret@localhost',
  'host=localhost password=topsecret',
  '//hunter:topsecret@localhost',
];

test('no error contains the password of a URL that could not be opened', async (t) => {
  await Promise.all(
    URLS.map(async (metadata) => {
      const error = await t.throwsAsync(open({ metadata }), undefined, metadata);
      const text = shown(error).replaceAll('passwords.test', '');
      t.notRegex(text, /topsecret|top%73ecret/i, metadata);
    }),
  );
});

test('an unknown URL of a blob store reveals no password', async (t) => {
  const blobs = 'ftp://key:topsecret@bucket?secret=topsecret';
  const error = await t.throwsAsync(open({ metadata: 'memory', blobs }));
  t.notRegex(shown(error), /topsecret/);
  t.regex(shown(error), /'ftp:'/);
  for (const wrong of ['key:topsecret@bucket', 'bucket?secret=topsecret', '_?endpoint=topsecret']) {
    const refused = await t.throwsAsync(open({ metadata: 'memory', blobs: `s3://${wrong}` }));
    t.notRegex(shown(refused), /topsecret/);
  }
});

test('the error says where the records are and why they could not be opened', async (t) => {
  const metadata = `postgres://user:topsecret@${NOBODY}/app?application_name=x`;
  const error = await t.throwsAsync(open({ metadata }));
  t.is(error?.message, `The records at postgres://***@${NOBODY}/app?*** could not be opened.`);
  t.regex(shown(error), /connect ECONNREFUSED 127\.0\.0\.1:1/);
  t.regex(shown(error), /code: 'ECONNREFUSED'/);
});

test('a URL whose password is not encoded is rejected with advice', async (t) => {
  const error = await t.throwsAsync(open({ metadata: `redis://u:topsecret#1@${NOBODY}` }));
  t.regex(shown(error), /Percent-encode/);
});

test('a parameter of a URL that would be ignored is rejected', async (t) => {
  const wrong: Readonly<Record<string, RegExp>> = {
    [`postgres://u:topsecret@${NOBODY}/app?sslmod=require`]:
      /no option sslmod\. Did you mean sslmode\?/,
    [`postgres://u:topsecret@${NOBODY}/app?channel_binding=require`]: /no option channel_binding/,
    [`postgres://u:topsecret@${NOBODY}/app?sslmode=requires`]: /sslmode must be one of disable, /,
    [`postgresql://app_user@${NOBODY}/app?password=topsecret&SSLMODE=require`]:
      /Did you mean sslmode\?/,
    [`redis://u:topsecret@${NOBODY}?db=1`]: /takes no parameters .* redis:\/\/host:6379\/1/,
    [`rediss://u:topsecret@${NOBODY}/0?rejectUnauthorized=false`]: /takes no parameters/,
  };
  for (const [metadata, message] of Object.entries(wrong)) {
    const error = await t.throwsAsync(open({ metadata }), undefined, metadata);
    t.regex(shown(error), message);
    t.notRegex(shown(error), /topsecret|ECONNREFUSED/);
  }
  const good = `postgres://@/app?user=u&host=127.0.0.1&port=1&application_name=&sslmode=disable`;
  t.regex(shown(await t.throwsAsync(open({ metadata: good }))), /ECONNREFUSED/);
});
