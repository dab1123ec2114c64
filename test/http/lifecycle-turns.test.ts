import test from 'ava';
import { turnsDuring } from '../drivers/fixtures.js';
import { bucket, days, rule, setRules } from './lifecycle-fixtures.js';
import { memoryStorage } from './servers.js';

const TAGS = Array.from({ length: 10 }, (_, at) => `tag-${at}`);
const PREFIX = 'x'.repeat(600);

/** As many rules as a bucket may have, each with a different set of the same tags. */
const RULES = Array.from({ length: 1000 }, (_, at) =>
  rule({
    id: `${at}`,
    resource: [`${bucket}/${PREFIX}*`],
    tags: Object.fromEntries(
      TAGS.filter((_, bit) => ((at + 1) >> bit) & 1).map((tag) => [tag, '']),
    ),
    expires: days(999),
  }),
);

test('other work gets turns while objects are compared with many rules', async (t) => {
  const storage = await memoryStorage();
  t.teardown(() => storage.close());
  await storage.putBucket({ bucket });
  const tags = Object.fromEntries(TAGS.map((tag) => [tag, '']));
  for (let at = 0; at < 1000; at++) {
    await storage.putObject({ bucket, key: `${PREFIX}${at}`, body: '', tags });
  }
  await setRules(storage, ...RULES);
  let examined = 0;
  const turns = await turnsDuring(async () => {
    ({ examined } = await storage.lifecycle.run());
  });
  t.is(examined, 1000);
  t.log(`${turns} turns`);
  t.true(turns >= 5, `${turns} turns`);
});
