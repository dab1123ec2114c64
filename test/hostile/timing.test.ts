import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { core } from './core.js';
import { KB, ROWS } from './timing-rows.js';

const { acl, cors, lifecycle } = core;

/** The CPU time of one call in milliseconds: the minimum of several runs with many calls each. */
function costOf(parse: (text: string) => unknown, text = ''): number {
  const coding = /[^\0-\xff]/.test(text) ? 'utf16le' : 'latin1';
  const bytes = Buffer.from(text, coding);
  const attempt = () => {
    try {
      // A new string each time, as in requests: the engine caches how it split a string.
      parse(bytes.toString(coding));
    } catch {
      // Most of these are rejected, which takes time, too.
    }
  };
  attempt();
  let calls = 1;
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3; run++) {
    const before = process.cpuUsage();
    for (let call = 0; call < calls; call++) attempt();
    const { user, system } = process.cpuUsage(before);
    const spent = (user + system) / 1000;
    if (spent < 1 && calls < 100_000) {
      calls *= 4;
      run--;
      continue;
    }
    least = Math.min(least, spent / calls);
  }
  return least;
}

test('no text of the allowed size takes long, and twice the text takes about twice the time', (t) => {
  let worst = { ratio: 0, cost: 0, name: '' };
  let longest = worst;
  for (const [name, limit, make, parse] of ROWS) {
    const measure = () => {
      const [half, whole] = [costOf(parse, make(limit / 2)), costOf(parse, make(limit))];
      // A list that leaves the young generation costs more once. Quadratic cost would show twice.
      const again = whole / half < 3 ? 0 : costOf(parse, make(limit * 2)) / whole;
      return {
        ratio: again === 0 ? whole / half : Math.min(whole / half, again),
        cost: whole,
        name,
      };
    };
    let found = measure();
    // Another process may have used the processor during one of the measurements.
    for (let again = 0; again < 3 && found.ratio >= 3; again++) found = measure();
    if (found.ratio > worst.ratio) worst = found;
    if (found.cost > longest.cost) longest = found;
    // So short a time says nothing about growth.
    if (found.cost > 0.02)
      t.true(found.ratio < 3, `${name}: ${found.ratio} times at twice the size`);
    t.true(found.cost < (limit > 20 * KB ? 250 : 20), `${name}: ${found.cost} ms`);
  }
  t.log(`${ROWS.length} texts; the longest ${longest.cost.toFixed(2)} ms (${longest.name})`);
  t.log(`the worst growth ${worst.ratio.toFixed(2)} at twice the size (${worst.name})`);
});

test('rules of the maximum size are evaluated quickly', (t) => {
  const names = Array.from({ length: 100 }, (_, at) => `x-${at}`);
  const grants = (size: number) =>
    Array.from({ length: 100 }, () => ({
      grantee: [{ id: '*' }],
      permission: ['LIST'],
      resource: Array.from({ length: size / 100 / 5 }, (_, at) => `${at}*`),
    }));
  const origins = (size: number) => [
    {
      allowedOrigins: Array.from({ length: size / 2 / 5 }, (_, at) => `${at}*`).concat('*'),
      allowedMethods: ['PUT'],
      allowedHeaders: Array.from({ length: size / 2 / 5 }, (_, at) => `${at}*`),
    },
  ];
  const rules = (size: number) => [
    {
      ...({ id: 'a', status: 'enabled', action: 'DeleteObject' } as const),
      resource: Array.from({ length: size / 14 }, (_, at) => `bucket/${at.toString(36)}/*`),
    },
  ];
  const principal = { tenantCode: 't', tenantId: 't', userId: 'u', userName: 'U' };
  const resource = 'bucket/key';
  const about = { owner: principal, uniqueUserIds: false, blocksPublic: false };
  const question = { principal, permission: 'LIST', resource, ...about };
  const checks = {
    'an access control list': (size: number) => {
      const list = grants(size);
      return costOf(() => acl.isGranted(list, question));
    },
    'CORS rules': (size: number) => {
      const list = origins(size);
      return costOf(() => cors.matchCors(list, { origin: 'x', method: 'PUT', headers: names }));
    },
    'lifecycle rules about a key': (size: number) => {
      const schedule = new lifecycle.RuleSchedule(rules(size * 50), 'DeleteObject');
      return costOf(() => schedule.firstToAct('z'.repeat(1000), 0));
    },
    'lifecycle rules before the first key': (size: number) => {
      const list = rules(size * 50);
      return costOf(() => new lifecycle.RuleSchedule(list, 'DeleteObject'));
    },
  };
  for (const [name, cost] of Object.entries(checks)) {
    const [half, whole] = [cost(10 * KB), cost(20 * KB)];
    t.log(`${name}: ${whole.toFixed(3)} ms, ${(whole / half).toFixed(2)} times at twice the size`);
    t.true(whole < 1000, `${name}: ${whole} ms`);
  }
  const schedule = new lifecycle.RuleSchedule(rules(1024 * KB), 'DeleteObject');
  t.true(costOf(() => schedule.firstToAct('z'.repeat(1000), 0)) < 5);

  const tags = Array.from({ length: 10 }, (_, at): [string, string] => [`${at}`, '']);
  const long = 'z'.repeat(900);
  const tagged = Array.from({ length: 1000 }, (_, at) => ({
    ...({ id: `${at}`, status: 'enabled', action: 'DeleteObject' } as const),
    resource: [`bucket/${long}*`],
    tags: tags.filter((_, bit) => ((at + 1) >> bit) & 1),
  }));
  const sets = new lifecycle.RuleSchedule(tagged, 'DeleteObject');
  const cost = costOf(() => sets.firstToAct(`${long}/key`, 0, tags));
  t.log(`lifecycle rules with 1,000 sets of tags: ${cost.toFixed(3)} ms`);
  t.true(cost < 20, `${cost} ms`);
});

/**
 * What makes a regular expression slow: nested repetition, or a repetition that is not anchored.
 */
const NESTED = /\([^()]*[*+}][^()]*\)[*+{]/;
const LOOSE = /^(?!\^)(?:\[[^\]]*\]|\\.|[^\\])[*+]/;

test('no regular expression of the packages nests repetitions, or searches again from every position', async (t) => {
  const packages = fileURLToPath(new URL('../../../packages/', import.meta.url));
  const found: string[] = [];
  for (const file of await readdir(packages, { recursive: true })) {
    if (!/^[a-z]+\/src\/.*\.ts$/.test(file) || file.startsWith('conformance/')) continue;
    const text = await readFile(join(packages, file), 'utf8');
    const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
    for (const [, source = ''] of code.matchAll(
      /(?<=[=(,:!&|]\s?)\/((?:\\.|\[(?:\\.|[^\]])*\]|[^/\n\\[])+)\/[a-z]*/g,
    )) {
      found.push(source);
      t.false(NESTED.test(source), `${file}: /${source}/ repeats what repeats`);
      t.false(
        source.split('|').some((part) => LOOSE.test(part)),
        `${file}: /${source}/ begins anywhere`,
      );
    }
  }
  t.true(found.length > 20, `${found.length} expressions`);
  // The patterns detect what they should.
  for (const bad of ['^(a+)+$', '(a*)*', '(.*a){10}']) t.true(NESTED.test(bad));
  for (const bad of ['[ \\t]+$', '.*a', '\\s+$']) t.true(LOOSE.test(bad));
  t.false(LOOSE.test('\\*(a*)'), 'a literal star repeats nothing');
});
