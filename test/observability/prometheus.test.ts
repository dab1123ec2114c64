import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectStorage } from '@bucketware/core';
import { prometheusMetrics } from '@bucketware/observability/prometheus';
import test from 'ava';
import { Registry } from 'prom-client';
import { call, dial, opening } from '../http/raw.js';
import { alice, listen, memoryStorage, onKoa } from '../http/servers.js';

/** The samples of an exposition, as Prometheus reads them. */
async function scrape(registry: Registry): Promise<Map<string, number>> {
  const lines = (await registry.metrics()).split('\n');
  const samples = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at).replace('bucketware_', ''), Number(line.slice(at + 1))];
    }),
  );
}

test('requests are counted by operation, and their times fall into buckets', async (t) => {
  const storage = await memoryStorage();
  const registry = new Registry();
  const stop = prometheusMetrics(storage, { registry, buckets: [60, 0] });
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  await call(origin, 'PUT', '/bucket/a', { body: 'four' });
  for (let count = 0; count < 3; count++) await call(origin, 'GET', '/bucket/a');
  await call(origin, 'GET', '/bucket/b');
  await call(origin, 'PATCH', '/bucket/b');

  const get = 'dialect="json",operation="GetObject"';
  const last =
    'requests_total{dialect="json",operation="none",status="405",error="MethodNotAllowed"}';
  while (!(await scrape(registry)).has(last)) await sleep(5);
  const samples = await scrape(registry);
  const expected = {
    [`requests_total{${get},status="200",error=""}`]: 3,
    [`requests_total{${get},status="404",error="NoSuchKey"}`]: 1,
    [last]: 1,
    'received_bytes_total{dialect="json",operation="PutObject"}': 4,
    [`incomplete_requests_total{${get}}`]: 0,
    [`request_duration_seconds_bucket{le="0",${get}}`]: 0,
    [`request_duration_seconds_bucket{le="60",${get}}`]: 4,
    [`request_duration_seconds_bucket{le="+Inf",${get}}`]: 4,
    [`request_first_byte_seconds_count{${get}}`]: 4,
    requests_in_progress: 0,
    'backend_up{backend="records"}': 1,
    'backend_up{backend="blobs"}': 1,
  };
  for (const [sample, value] of Object.entries(expected)) {
    const found =
      samples.get(sample) ?? samples.get(sample.replace(/\{(le="[^"]*"),(.*)\}/, '{$2,$1}'));
    t.is(found, value, `${sample} of ${Array.from(samples.keys()).join('\n')}`);
  }
  const sum = samples.get(`request_duration_seconds_sum{${get}}`) as number;
  t.true(sum > 0 && sum < 60);
  t.true((samples.get(`sent_bytes_total{${get}}`) as number) > 12);

  stop();
  t.is((await registry.metrics()).trim(), '');
});

test('requests in progress and disconnected clients are counted', async (t) => {
  const storage = await memoryStorage();
  const registry = new Registry();
  prometheusMetrics(storage, { registry, prefix: '' });
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const shows = async (sample: string, value: number) => {
    while ((await scrape(registry)).get(sample) !== value) await sleep(5);
    t.pass(sample);
  };
  const socket = await dial(origin);
  socket.write(opening('PUT', '/bucket/a', 'Content-Length: 9'));
  await shows('requests_in_progress', 1);
  socket.destroy();
  await shows('requests_in_progress', 0);
  await shows('incomplete_requests_total{dialect="json",operation="PutObject"}', 1);
});

test('a backend that does not respond is reported as down, and the scrape still succeeds', async (t) => {
  const health: ObjectStorage['health'] = async () => ({
    ok: false,
    records: { ok: true, milliseconds: 1 },
    blobs: { ok: false, milliseconds: 2000, error: new Error('gone') },
  });
  const registry = new Registry();
  prometheusMetrics({ ...(await memoryStorage()), health }, { registry });
  const samples = await scrape(registry);
  t.is(samples.get('backend_up{backend="records"}'), 1);
  t.is(samples.get('backend_up{backend="blobs"}'), 0);
});

test('the Grafana dashboard uses only existing metrics and labels', async (t) => {
  const storage = await memoryStorage();
  const registry = new Registry();
  prometheusMetrics(storage, { registry });
  const path = new URL('../../../packages/observability/grafana-dashboard.json', import.meta.url);
  const dashboard: { panels: { targets: { expr: string }[] }[] } = JSON.parse(
    await readFile(path, 'utf8'),
  );
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const shown = expressions.flatMap((text) => text.match(/bucketware_\w+/g) ?? []);
  const bare = shown.map((name) => name.replace(/_seconds_bucket$/, '_seconds'));
  t.deepEqual(
    Array.from(new Set(bare)).sort(),
    registry
      .getMetricsAsArray()
      .map(({ name }) => name)
      .sort(),
  );
  const grouped = expressions.flatMap(
    (text) => /by \(([^)]*)\)/.exec(text)?.[1]?.split(', ') ?? [],
  );
  const labels = ['backend', 'error', 'le', 'operation'];
  t.deepEqual(Array.from(new Set(grouped)).sort(), labels);
});
