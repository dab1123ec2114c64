import type { Change } from '@bucketware/core';
import test from 'ava';
import { Disk } from './disk.js';
import { watched } from './gate.js';
import { type Drivers, ROOT, rightDrivers } from './protocol.js';
import { Random } from './random.js';
import { Scheduler } from './scheduler.js';
import { NO_RECORDS, type RecordsState, SimulatedRecords } from './simulated-records.js';
import { type CrashState, Machine } from './verify.js';
import { wrongCommit } from './wrong-drivers.js';

const NOW = Date.UTC(2030, 0, 1);
const now = () => NOW;
const OWNER = { tenantCode: 't', tenantId: '1', userId: 'u', userName: 'U' };

/** When rules act, in the format of layouts up to 3 and in the current one. */
const TIMES = [
  [{}, {}],
  [{ time: {} }, { expires: {} }],
  [{ time: { dateGreaterThan: '$(lastModified)+P30D' } }, { expires: { afterDays: 30 } }],
  [
    { time: { dateGreaterThan: '2031-06-30T00:00:00Z' } },
    { expires: { at: new Date('2031-06-30') } },
  ],
] as const;
const ruleOf = (bucket: string, at: number) => ({
  id: `rule ${at}`,
  status: at === 3 ? ('disabled' as const) : ('enabled' as const),
  resource: [`${bucket}/logs/*`],
});
const actionOf = (at: number) => (at === 1 ? 'AbortMultipartUpload' : 'DeleteObject');
const oldRules = (bucket: string) =>
  TIMES.map(([condition], at) => ({
    ...{ ...ruleOf(bucket, at), condition },
    action: { name: actionOf(at) },
  }));
const rulesOf = (bucket: string) =>
  TIMES.map(([, expires], at) => ({ ...ruleOf(bucket, at), ...expires, action: actionOf(at) }));

const MANY = 170;
const names = Array.from({ length: MANY }, (_, at) => `bucket-${String(at).padStart(3, '0')}`);
/**
 * A page of buckets that need no change: only the recorded progress shows that it was processed.
 */
const isPlain = (at: number) => at >= 50 && at < 100;
const hasId = (at: number) => isPlain(at) || at % 3 > 0;
const hasRules = (at: number) => !isPlain(at) && at % 50 < 2;

/** A store of an earlier version, in which some buckets have no id, and some have rules. */
async function oldStore(layout: number): Promise<CrashState> {
  const machine = new Machine({ disk: Disk.withDirectory(ROOT), records: NO_RECORDS });
  await (await machine.open(rightDrivers, now)).close();
  const { disk, records } = machine.remains;
  const old = new SimulatedRecords(records);
  const put: { key: string; value: unknown }[] = [];
  names.forEach((name, at) => {
    const id = hasId(at) && layout === 3 ? `${name}~0123456789abcdef` : undefined;
    const settings = hasRules(at) ? ['lifecycle'] : [];
    const bucket = { owner: OWNER, created: NOW, storageClass: 'STANDARD', closing: false };
    put.push({ key: `b/${name}`, value: { ...bucket, settings, ...(id && { id }) } });
    if (hasRules(at)) put.push({ key: `x/${id ?? name}/lifecycle`, value: oldRules(name) });
    const content = { segments: [] };
    const object = { type: 'Normal', size: 0, etag: '', lastModified: NOW, headers: [] };
    const value = { ...object, storageClass: 'STANDARD', metadata: [], content };
    put.push({ key: `o/${id ?? name}/key`, value });
  });
  const store = old.find('s/store')?.value as object;
  old.apply({ put: [...put, { key: 's/store', value: { ...store, layout } }] });
  return { disk, records: old.state };
}

const dump = ({ entries }: RecordsState) => entries.map(({ key, value }) => ({ key, value }));
const snapshot = ({ remains }: Machine): CrashState => ({
  disk: remains.disk.snapshot(),
  records: remains.records,
});

/** The first crash after which the upgraded store differs from one upgraded without a crash. */
async function problemWith(layout: number, drivers: Drivers): Promise<string | undefined> {
  const old = await oldStore(layout);
  const steps: CrashState[] = [];
  const machine: Machine = new Machine(
    old,
    watched(() => void steps.push(snapshot(machine))),
  );
  await machine.open(drivers, now);
  const wanted = JSON.stringify(dump(machine.remains.records));
  for (const [at, remains] of steps.entries()) {
    const again = new Machine(remains);
    await again.open(drivers, now);
    if (JSON.stringify(dump(again.remains.records)) !== wanted) return `after step ${at + 1}`;
  }
  return steps.length < 4 ? `there were only ${steps.length} steps` : undefined;
}

for (const layout of [2, 3]) {
  test(`a store of layout ${layout} is upgraded, even after a crash at any step`, async (t) => {
    t.is(await problemWith(layout, rightDrivers), undefined);
    const machine = new Machine(await oldStore(layout));
    const storage = await machine.open(rightDrivers, now);
    t.like(machine.records.find('s/store')?.value, { layout: 4, migrating: undefined });
    for (const [at, bucket] of names.entries()) {
      t.is((await storage.getObjectMeta({ bucket, key: 'key' })).size, 0);
      const rules = storage.getBucketLifecycle({ bucket });
      if (hasRules(at)) t.deepEqual((await rules).rule as object, rulesOf(bucket));
      else await t.throwsAsync(rules, { code: 'NoLifecycleConfiguration' });
    }
  });
}

/** Rejects for errors other than those of the scheduler. */
function unlessCommitFailed(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EIO') throw error;
}

test('several processes that open an old store at the same time upgrade it together', async (t) => {
  const old = await oldStore(3);
  const alone = new Machine(old);
  await alone.open(rightDrivers, now);
  const wanted = dump(alone.remains.records);
  let refused = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const scheduler = new Scheduler(new Random(seed));
    scheduler.faults = { files: 0, commits: 0.1, shortWrites: 0 };
    const machine = new Machine({ ...old, disk: old.disk.snapshot() }, scheduler);
    let open = 3;
    const opened = Array.from({ length: open }, async () => {
      // A commit with an unknown outcome makes the opening fail, and the host tries again.
      while (!(await machine.open(rightDrivers, now).catch(unlessCommitFailed))) refused++;
      open--;
    });
    while (open > 0 && (await scheduler.settle())) scheduler.advance();
    await Promise.all(opened);
    t.deepEqual(dump(machine.remains.records), wanted, `seed ${seed}`);
  }
  t.true(refused > 0);
});

test('records of a later version, or of one that is too old, are rejected and not changed', async (t) => {
  for (const [layout, message] of [
    [5, /later version.*layout 5.*up to 4/],
    [1, /layout 1; this version reads layouts from 2 on/],
  ] as const) {
    const machine = new Machine(await oldStore(layout));
    const before = dump(machine.remains.records);
    await t.throwsAsync(machine.open(rightDrivers, now), { message });
    t.deepEqual(dump(machine.remains.records), before);
  }
});

test('a store with damaged rules stays closed, and keeps their page as it is', async (t) => {
  const machine = new Machine(await oldStore(3));
  const key = 'x/bucket-150/lifecycle';
  machine.records.apply({ put: [{ key, value: rulesOf('bucket-150') }] });
  const page = () => [key, 'b/bucket-150', 'b/bucket-156'].map((one) => machine.records.find(one));
  const before = page();
  for (let time = 0; time < 2; time++) {
    await t.throwsAsync(machine.open(rightDrivers, now), { name: 'RecordDamagedError' });
  }
  t.deepEqual(page(), before);
});

/** Commits the progress first, and then the page that it refers to. */
const progressFirst = wrongCommit(async (change: Change, { metadata }) => {
  const isProgress = ({ key }: { key: string }) => key === 's/store';
  const { put = [] } = change;
  if (!put.some(isProgress) || put.length === 1) return metadata.commit(change);
  const begun = await metadata.commit({ ...change, put: put.filter(isProgress) });
  if (begun === undefined) return undefined;
  return metadata.commit({ put: put.filter((one) => !isProgress(one)) });
});

test('the simulator detects progress that is committed before its page', async (t) => {
  t.regex((await problemWith(3, progressFirst)) ?? 'nothing was found', /after step/);
});
