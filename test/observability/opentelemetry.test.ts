import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTelemetryMetrics, openTelemetryTraces } from '@bucketware/observability/opentelemetry';
import {
  type Context,
  type ContextManager,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import test from 'ava';
import { call } from '../http/raw.js';
import { alice, listen, memoryStorage, onKoa } from '../http/servers.js';

const contexts = new AsyncLocalStorage<Context>();
const manager: ContextManager = {
  active: () => contexts.getStore() ?? ROOT_CONTEXT,
  with: (active, fn, self, ...args) => contexts.run(active, () => fn.call(self as never, ...args)),
  bind: (_, target) => target,
  enable: () => manager,
  disable: () => manager,
};

test('each request is a span of the trace that its client continues, or of the active span', async (t) => {
  context.setGlobalContextManager(manager);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const exporter = new InMemorySpanExporter();
  const processor = new SimpleSpanProcessor(exporter);
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [processor] });
  const storage = await memoryStorage();
  const stop = openTelemetryTraces(storage, { tracerProvider });
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const carry = onKoa(storage, {});
  const outer = tracerProvider.getTracer('host').startSpan('GET /storage');
  const { origin, close } = await listen((req, res) => {
    const isInside = req.headers['x-inside'] !== undefined;
    const active = isInside ? setSpan(outer) : ROOT_CONTEXT;
    context.with(active, () => void carry(req, res));
  });
  t.teardown(close);
  const next = async () => {
    while (exporter.getFinishedSpans().length === 0) await sleep(5);
    const [span] = exporter.getFinishedSpans();
    exporter.reset();
    if (span === undefined) throw new Error('There is no span.');
    return span;
  };

  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const answer = await call(origin, 'PUT', '/bucket/a?', { body: 'four', headers });
  const put = await next();
  t.is(put.name, 'PutObject');
  t.is(put.kind, SpanKind.SERVER);
  t.is(put.spanContext().traceId, traceId);
  t.is(put.parentSpanContext?.spanId, 'b7ad6b7169203331');
  t.like(put.attributes, {
    'http.request.method': 'PUT',
    'url.path': '/bucket/a',
    'bucketware.dialect': 'json',
    'bucketware.request_id': answer.headers['x-svc-request-id'],
    'bucketware.operation': 'PutObject',
    'bucketware.bucket': 'bucket',
    'bucketware.key': 'a',
    'user.id': 'u-alice',
    'http.response.status_code': 200,
    'http.request.body.size': 4,
    'bucketware.complete': true,
  });

  await call(origin, 'GET', '/bucket/none', { headers: { ...headers, 'x-inside': '1' } });
  const get = await next();
  t.is(get.kind, SpanKind.INTERNAL);
  t.is(get.parentSpanContext?.spanId, outer.spanContext().spanId);
  t.is(get.attributes['error.type'], 'NoSuchKey');
  t.is(get.status.code, SpanStatusCode.UNSET);
  stop();
  await call(origin, 'GET', '/bucket/none');
  t.deepEqual(exporter.getFinishedSpans(), []);
});

const setSpan = (span: Span) => trace.setSpan(ROOT_CONTEXT, span);

test('metrics have the operation and status of requests', async (t) => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  t.teardown(() => meterProvider.shutdown());
  const storage = await memoryStorage();
  openTelemetryMetrics(storage, { meterProvider });
  let ended = 0;
  storage.observe(() => ended++);
  await storage.as(alice).putBucket({ bucket: 'bucket' });
  const { origin, close } = await listen(onKoa(storage, {}));
  t.teardown(close);
  await call(origin, 'PUT', '/bucket/a', { body: 'four' });
  await call(origin, 'GET', '/bucket/a');
  await call(origin, 'GET', '/bucket/a');
  while (ended < 3) await sleep(5);
  await reader.forceFlush();
  const [resource] = exporter.getMetrics();
  const metrics = resource?.scopeMetrics[0]?.metrics ?? [];
  const points = (name: string) =>
    metrics
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints }) => dataPoints as { attributes: object; value: unknown }[])
      .map(({ attributes, value }) => ({ ...attributes, value }));
  const get = {
    'bucketware.dialect': 'json',
    'bucketware.operation': 'GetObject',
    'bucketware.complete': true,
    'http.response.status_code': 200,
    'error.type': undefined,
  };
  const put = { ...get, 'bucketware.operation': 'PutObject' };
  t.deepEqual(points('bucketware.request.sent'), [{ ...get, value: 8 }]);
  t.deepEqual(points('bucketware.request.received'), [{ ...put, value: 4 }]);
  t.deepEqual(points('bucketware.active_requests'), [{ value: 0 }]);
  const durations = points('bucketware.request.duration');
  t.deepEqual(
    durations.map(({ value }) => (value as { count: number }).count),
    [1, 2],
  );
});
